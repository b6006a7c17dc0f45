import { afterEach, expect, test, vi } from "vitest";
import { isInvented, sampleVariable } from "../../src/cli/sample-env.ts";

/** What a hook that is tried out finds in a variable: a place, a number or a made-up value, and never a secret. */

afterEach(() => {
  vi.unstubAllEnvs();
});

// biome-ignore format: a table
test.each<[claim: string, name: string, value: string | undefined, seen: string | null]>([
  ["a place is as it is", "MY_DIR", "/srv/mine", "/srv/mine"],
  ["so is the file of a shell", "HISTFILE", "/home/a/.history", "/home/a/.history"],
  ["a place that is not set is none", "HISTFILE", undefined, null],
  ["a profile is no file", "AWS_PROFILE", "prod-eu", "sample-sample"],
  ["a short number is as it is", "MY_PORT", "8080", "8080"],
  ["at the limit", "MY_TIMEOUT", "999999", "999999"],
  ["one over it, it may be a secret", "MY_TIMEOUT", "1000000", null],
  ["a word under a number's name is a secret", "MAX_KEY", "hunter2", null],
  ["a number under another name is made up", "MY_PIN", "4711", "sample"],
  ["of an address the server is as it is", "URL", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["and its path made up", "URL", "https://hooks.example.com/T0/b-1?key=x#y", "https://hooks.example.com/sample/sample-sample?sample=sample#sample"],
  ["an empty path stays", "URL", "wss://a.example/", "wss://a.example/"],
  ["a query may follow at once", "URL", "https://a.example?t=1", "https://a.example?sample=sample"],
  ["with a user all is made up", "URL", "https://me:pw@a.example/", "sample://sample:sample@sample.sample/"],
  ["with a user before a slash, too", "URL", "https://me:1/2@a.example/", "sample://sample:sample/sample@sample.sample/"],
  ["a backslash is no server's", "URL", "https://a\\secret/x", "sample://sample\\sample/sample"],
  ["nor a password for a port", "URL", "http://me:secret/x", "sample://sample:sample/sample"],
  ["nor is another scheme's", "DB", "postgres://me/secret", "sample://sample/sample"],
  ["nor one within a text", "NOTE", "see https://a.example/", "sample sample://sample.sample/"],
  ["too long for anything", "URL", `https://a.example/${"a".repeat(500)}`, "sample"],
])("%s", (_claim, name, value, seen) => {
  vi.stubEnv(name, value);
  expect(sampleVariable(name, true, true)).toBe(seen);
});

test("who may not read finds no place, no number and no server", () => {
  vi.stubEnv("MY_DIR", "/srv/mine");
  vi.stubEnv("MY_PORT", "8080");
  vi.stubEnv("MY_URL", "https://a.example/");
  expect(["MY_DIR", "MY_PORT", "MY_URL"].map((name) => sampleVariable(name, true, false))).toEqual([
    null,
    null,
    "sample",
  ]);
});

test("a word is invented where a variable is not set, and may be any", () => {
  vi.stubEnv("IS_SET", "x");
  const names = ["NOT_SET", "IS_SET", "NOT_SET_DIR", "NOT_SET_PORT", "CI"];
  expect(names.filter(isInvented)).toEqual(["NOT_SET"]);
});
