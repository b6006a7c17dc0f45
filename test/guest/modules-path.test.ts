import { besideNode } from "./beside-node.ts";

const PATTERNS = [
  "*.ts",
  "**/*.ts",
  "src/**",
  "{a,b}.js",
  "[ab].js",
  "!a.js",
  "#a",
  ".env*",
  "**/.env",
  "a?c",
  "src/*/x",
  "",
];
const PATHS = [
  "a.ts",
  "src/a.ts",
  "src/deep/x",
  "a.js",
  "b.js",
  "c.js",
  "#a",
  ".env",
  ".env.local",
  "src/.env",
  "abc",
  "src",
  "",
];

besideNode("path.matchesGlob in a hook and in Node", {
  top: `import path, { join, matchesGlob } from "node:path"; import * as all from "path/posix";`,
  questions: [
    ...PATTERNS.map((pattern) => ({
      name: `paths that fit ${pattern}`,
      ask: `${JSON.stringify(PATHS)}.filter((one) => matchesGlob(one, ${JSON.stringify(pattern)}))`,
    })),
    {
      name: "it is a member, too, beside the others",
      ask: `[path.matchesGlob("a.ts", "*.ts"), path.posix.matchesGlob("a.ts", "*.js"), all.matchesGlob("a", "b"), join("a", "..", "b"), path.posix.sep]`,
    },
    {
      name: "what is no text",
      ask: `[caught(() => matchesGlob(1 as any, "x")), caught(() => matchesGlob("x", null as any))]`,
    },
  ],
});
