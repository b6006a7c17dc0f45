import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { securityAudit, sensitivePath } from "../../hooks/guards/security-audit.ts";
import { anyText } from "../support/any-text.ts";
import { OPEN_PATHS, SECRET_PATHS } from "./own-cases.ts";
import { testTable } from "./table.ts";

/** Rows whose result differs from the table, with the reason. */
const KNOWN_MISSES = new Map([
  [
    "src/app.keymap.json",
    "`.key` is read as the end of a name: as a part of any text it blocks every .keymap and .keys",
  ],
]);

describe("the table", () => testTable("path-audit", sensitivePath, KNOWN_MISSES));

test.each(SECRET_PATHS)("blocks %j", (path) => expect(sensitivePath(path)).toEqual(expect.any(String)));
test.each(OPEN_PATHS)("allows %j", (path) => expect(sensitivePath(path)).toBeUndefined());

describe("the interceptor", () => {
  const judge = (args: Record<string, unknown>) => {
    const output: { args: Record<string, unknown>; block?: boolean; blockReason?: string } = { args };
    securityAudit.handler({ toolName: "read", toolCallId: "1" }, output);
    return output;
  };

  test("is the one of the page", () => {
    const { id, name, priority, toolMatcher } = securityAudit;
    expect({ id, name, priority }).toEqual({ id: "builtin:security-audit", name: "tool.before", priority: 99 });
    const tools = ["read", "write", "edit", "exec", "apply_patch", "reader"];
    expect(tools.filter((tool) => toolMatcher?.test(tool))).toEqual(["read", "write", "edit"]);
  });

  test("judges each argument that may name the file", () => {
    for (const name of ["path", "file_path", "filePath"])
      expect(judge({ path: "README.md", [name]: ".env" })).toMatchObject({
        block: true,
        blockReason: "Sensitive path: an environment file",
      });
  });

  test("passes everything else", () => {
    for (const path of ["README.md", "", undefined, null, 5, {}, [".env"]])
      expect(judge({ path })).toEqual({ args: { path } });
    expect(judge({ content: "/etc/passwd" }).block).toBeUndefined();
  });
});

describe("whatever the path", () => {
  const paths = fc.constantFrom(
    ...SECRET_PATHS,
    ...OPEN_PATHS,
    "/home/u/.ssh/id_rsa",
    "/p/test/server.pem",
    "/p/node_modules/a/.env",
  );

  test("it never throws, however long", () => {
    const parts = [
      "../",
      "./",
      "/",
      "test/",
      ".env",
      "id_rsa",
      "\\",
      "\0",
      "%2e",
      "file:",
      "~",
      "@",
      ".",
      " ",
      "\ud800",
    ];
    const anything = fc.oneof(
      anyText({ maxLength: 100 }),
      fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((some) => some.join("")),
    );
    fc.assert(
      fc.property(anything, (path) => {
        sensitivePath(path);
      }),
      { numRuns: 2000 },
    );
    expect(sensitivePath("a/".repeat(1_000_000))).toMatch(/longer/);
    expect(sensitivePath(`${"../".repeat(10_000)}.env`)).toBe("an environment file");
  });

  test("`./` and `a/../` change nothing", () => {
    const inserted = fc.array(fc.constantFrom("./", "a/../", "test/../", "node_modules/b/../../", "/"), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(paths, inserted, fc.nat(), (path, some, where) => {
        // Behind any of its separators but those of a URL's or server's beginning.
        const places = [...path.matchAll(/(?<=[^:/\\@][^:]*)\//g)].map((match) => match.index + 1);
        const at = places[where % Math.max(places.length, 1)];
        fc.pre(at !== undefined && !/^(file|\\\\)/i.test(path));
        const changed = path.slice(0, at) + some.join("") + path.slice(at);
        expect(sensitivePath(changed), changed).toBe(sensitivePath(path));
      }),
      { numRuns: 2000 },
    );
  });

  test("a path that leaves an excepted folder is not excepted", () => {
    const folders = fc.array(fc.constantFrom("test", "fixtures", "node_modules"), { minLength: 1, maxLength: 4 });
    const secrets = fc.constantFrom(".env", ".ssh/id_rsa", ".aws/credentials", "tls.key", "credentials.json");
    fc.assert(
      fc.property(folders, secrets, (some, secret) => {
        expect(sensitivePath(`/p/${some.join("/")}/${secret}`)).toBeUndefined();
        const out = "../".repeat(some.length);
        expect(sensitivePath(`/p/${some.join("/")}/${out}${secret}`)).toEqual(expect.any(String));
      }),
    );
  });
});
