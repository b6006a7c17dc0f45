import { expect, test } from "vitest";
import { dangersOf } from "../../src/grants/dangers.ts";
import type { Capabilities } from "../../src/grants/schema.ts";
import { onToolCall, startSession } from "../support/session.ts";

const SENDS = { connect: ["api.example.com:443"] };
const READS = { read: ["$CWD/**"] };

const CASES: { name: string; capability: string; granted: unknown; held: Capabilities; says: string[] }[] = [
  {
    name: "an endpoint to send to, for a hook that reads",
    capability: "net",
    granted: SENDS,
    held: { fs: READS },
    says: ["it can send files ($CWD/**) to api.example.com:443"],
  },
  {
    name: "files, for a hook that sends",
    capability: "fs",
    granted: READS,
    held: { net: SENDS },
    says: ["it can send files ($CWD/**) to api.example.com:443"],
  },
  {
    name: "files of keys and passwords",
    capability: "fs",
    granted: { read: ["$HOME/.ssh/id_rsa", "$CWD/.env", "$CWD/notes.txt"] },
    held: {},
    says: ["it reads what holds keys or passwords ($HOME/.ssh/id_rsa, $CWD/.env)"],
  },
  {
    name: "a wildcard, which covers none",
    capability: "fs",
    granted: { read: ["$HOME/.ssh/**", "$HOME/**"] },
    held: {},
    says: [],
  },
  {
    name: "a hook that may read everything",
    capability: "net",
    granted: SENDS,
    held: { env: ["TOKEN"], session: ["messages"], exec: [{ program: "git", args: ["log"] }] },
    says: ["it can send what its programs print, the variables TOKEN, this session's messages to api.example.com:443"],
  },
  {
    name: "databases that it writes",
    capability: "sqlite",
    granted: [{ path: "$CWD/a.db", write: true }],
    held: {},
    says: ["programs that use those databases trust what is written there"],
  },
  {
    name: "databases, for a hook that sends",
    capability: "sqlite",
    granted: [{ path: "$CWD/a.db" }, { path: "$HOME/**" }],
    held: { net: SENDS },
    says: ["it can send databases ($CWD/a.db, $HOME/**) to api.example.com:443"],
  },
  {
    name: "a key, for a hook that sends",
    capability: "model",
    granted: ["acme"],
    held: { net: SENDS },
    says: ["costs or tells the key of that provider", "it can send the key of acme to api.example.com:443"],
  },
  {
    name: "calls of the agent's tools, for a hook that sends",
    capability: "calls",
    granted: ["read"],
    held: { net: SENDS },
    says: [
      "its tools run read by themselves: what these do is done as you",
      "it can send results of read to api.example.com:443",
    ],
  },
  {
    name: "calls of a shell",
    capability: "calls",
    granted: ["bash"],
    held: {},
    says: [
      "its tools run bash by themselves: what these do is done as you",
      "that is full access: its tools run any command, unless a hook blocks it",
    ],
  },
  {
    name: "how messages are shown, for a hook that sends",
    capability: "ui",
    granted: ["markdown"],
    held: { net: SENDS },
    says: [
      "it reads what is said, and changes how you are shown it",
      "it can send what you and your agent say to api.example.com:443",
    ],
  },
  {
    name: "agents without tools",
    capability: "agents",
    granted: [{ tools: [] }],
    held: { net: SENDS },
    says: ["it runs agents of its own, which spend your tokens"],
  },
  {
    name: "agents that read, for a hook that sends",
    capability: "agents",
    granted: [{ tools: ["read"] }, { tools: ["read", "grep"] }],
    held: { net: SENDS },
    says: [
      "it runs agents of its own, which spend your tokens: what it tells them to do with read, grep is done as you",
      "it can send what its agents find with read, grep to api.example.com:443",
    ],
  },
  {
    name: "agents with a shell",
    capability: "agents",
    granted: [{ tools: ["bash"] }],
    held: {},
    says: [
      "it runs agents of its own, which spend your tokens: what it tells them to do with bash is done as you",
      "that is full access: its agents run any command, unless a hook blocks it",
    ],
  },
  {
    name: "a provider at another place",
    capability: "providers",
    granted: [{ name: "my-llm", url: "https://api.example.com" }],
    held: {},
    says: [
      "all of your conversation goes to https://api.example.com while a model of my-llm is in use, with the key that is kept for my-llm",
    ],
  },
  {
    name: "a provider at another place, for a hook that reads: a header carries what it read",
    capability: "providers",
    granted: [{ name: "my-llm", url: "https://api.example.com" }],
    held: { fs: READS },
    says: [
      "all of your conversation goes to https://api.example.com while a model of my-llm is in use, with the key that is kept for my-llm",
      "it can send files ($CWD/**) to https://api.example.com",
    ],
  },
  {
    name: "files, for a hook with a provider",
    capability: "fs",
    granted: READS,
    held: { providers: [{ name: "my-llm", url: "https://api.example.com" }] },
    says: ["it can send files ($CWD/**) to https://api.example.com"],
  },
  {
    name: "the agent's own provider at another place",
    capability: "providers",
    granted: [{ name: "anthropic", url: "https://api.example.com", replaces: true }],
    held: {},
    says: [
      "it changes the agent's own provider anthropic: its places, headers and key",
      "all of your conversation goes to https://api.example.com while a model of anthropic is in use, with your own key of anthropic",
    ],
  },
  {
    name: "a provider that the hook itself is",
    capability: "providers",
    granted: [
      { name: "my-llm", streams: true },
      { name: "my-llm", login: true },
    ],
    held: { net: SENDS },
    says: [
      "it reads all of your conversation while a model of my-llm is in use, with the key that is kept for my-llm, and answers in the model's place",
      "it signs you in to my-llm, and holds what it gets for that",
      "it can send the conversation with models of its own to api.example.com:443",
    ],
  },
  {
    name: "a channel of the bus, for a hook that reads",
    capability: "bus",
    granted: ["plan"],
    held: { fs: READS },
    says: ["it can tell files ($CWD/**) to other hooks on plan"],
  },
  {
    name: "files, for a hook that has a channel",
    capability: "fs",
    granted: READS,
    held: { bus: ["plan"] },
    says: ["it can tell files ($CWD/**) to other hooks on plan"],
  },
  {
    name: "a channel of the bus, for a hook that sends",
    capability: "bus",
    granted: ["plan"],
    held: { net: SENDS },
    says: ["it can send what other hooks say on plan to api.example.com:443"],
  },
  { name: "a channel of the bus alone", capability: "bus", granted: ["plan"], held: {}, says: [] },
  { name: "an endpoint alone", capability: "net", granted: SENDS, held: { ui: ["notify"] }, says: [] },
  {
    name: "a server on this machine",
    capability: "net",
    granted: { listen: ["127.0.0.1:1"] },
    held: { fs: READS },
    says: [],
  },
  { name: "files alone", capability: "fs", granted: READS, held: {}, says: [] },
  {
    name: "files to write",
    capability: "fs",
    granted: { write: ["$CWD/a"] },
    held: {},
    says: ["what is written there can run code as you"],
  },
  {
    name: "any program",
    capability: "exec",
    granted: [{ program: "sh", args: [], fullAccess: true }],
    held: {},
    says: ["that is full access: it can run any code as you"],
  },
  {
    name: "git on the network",
    capability: "exec",
    granted: [{ program: "git", args: ["fetch"], fullAccess: true, gitNetwork: true }],
    held: {},
    says: ["that is full access: it can run any code as you", "git then reaches other machines, with your ssh keys"],
  },
  {
    name: "a program that reads what the hook writes",
    capability: "exec",
    granted: [{ program: "jq", args: ["."], fullAccess: true, stdin: true }],
    held: {},
    says: [
      "that is full access: it can run any code as you",
      "it writes whatever it likes to that program's standard input",
    ],
  },
];

test.each(CASES)("the question names the dangers of $name", ({ capability, granted, held, says }) => {
  expect(dangersOf(capability, granted, held)).toEqual(says);
});

test("the question for an endpoint names the files that could be sent there", async () => {
  const questions: string[] = [];
  const source = onToolCall('try { await fetch("http://127.0.0.1:9/"); } catch {}');
  const { call } = await startSession(
    { sender: { source, grant: { capabilities: { events: { see: ["*"], block: true }, fs: READS } } } },
    {
      hasUI: true,
      consent: ({ text }) => {
        questions.push(text);
        return "deny";
      },
    },
  );
  await call();
  expect(questions).toEqual([expect.stringContaining("it can send files ($CWD/**) to 127.0.0.1:9")]);
});

test.each([
  ["one log", ["$CWD/calls.log"], false],
  ["one table in a folder", ["$TMP/out/calls.csv"], false],
  ["a log and a source", ["$CWD/calls.log", "$CWD/a.ts"], true],
  ["logs by a glob", ["$CWD/*.log"], true],
  ["all of a project", ["$CWD/**"], true],
  ["a folder that looks like a log", ["$CWD/calls.log/**"], true],
  ["a log in a folder of settings", ["$CWD/.git/calls.log"], true],
  ["a log elsewhere", ["/etc/calls.log"], true],
  ["a name with two ends", ["$CWD/calls.ts.log"], true],
  ["a name without an end", ["$CWD/Makefile"], true],
  ["a text", ["$CWD/requirements.txt"], true],
])("what is written to %s can run code: %j, %s", (_what, write, isSaid) => {
  expect(dangersOf("fs", { write }, {}).includes("what is written there can run code as you")).toBe(isSaid);
});
