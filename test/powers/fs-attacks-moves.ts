import { type FileAttack, SECRET, WRITE } from "./fs-attack.ts";

const reads = (path: string) => `return fs.readFileSync(${JSON.stringify(path)}, "utf8");`;

/** A move or copy that is refused, and a similar one that works; each is a list of arguments. */
const moving = (
  name: string,
  method: "rename" | "copyFile",
  [from, to]: [string, string],
  [near, there, answer]: [string, string, string],
  more: Partial<FileAttack> = {},
): FileAttack => ({
  name,
  grant: WRITE,
  body: `fs.${method}Sync(${JSON.stringify(from)}, ${JSON.stringify(to)});`,
  works: {
    body: `fs.${method}Sync(${JSON.stringify(near)}, ${JSON.stringify(there)}); ${reads(answer)}`,
    answer: "moved",
  },
  ...more,
});

const near = { "proj/near/x": "moved", "proj/x": "moved" };

export const moves: FileAttack[] = [
  moving("a secret to a plain name", "rename", [".env", "env.txt"], ["x", "y", "y"], { files: near }),
  moving("a plain file to a secret's name", "rename", ["x", ".env"], ["x", "env", "env"], { files: near }),
  moving("a folder that holds a secret", "rename", ["sub", "sup"], ["near", "next", "next/x"], {
    files: { ...near, "proj/sub/deep/server.pem": SECRET },
  }),
  moving("a folder that holds code", "rename", ["sub", "sup"], ["near", "next", "next/x"], {
    files: { ...near, "proj/sub/deep/package.json": "{}" },
  }),
  moving("a folder to a name that is obeyed", "rename", ["near", ".husky"], ["near", "husky", "husky/x"], {
    files: near,
  }),
  moving("a folder into one that is obeyed", "rename", ["near", ".git/hooks"], ["near", "docs/hooks", "docs/hooks/x"], {
    files: near,
  }),
  moving("a file to a name that is run", "rename", ["x", "Makefile"], ["x", "Makefile.txt", "Makefile.txt"], {
    files: near,
  }),
  moving("a folder of the repository", "rename", [".git", "git"], ["near", "next", "next/x"], { files: near }),
  moving("what may not be read to where it may", "rename", ["x", "docs/y"], ["docs/x", "docs/y", "docs/y"], {
    grant: { read: ["$CWD/docs/**"], write: ["$CWD/**"] },
    files: { ...near, "proj/docs/x": "moved" },
  }),
  moving(
    "a folder of what may not be read to where it may",
    "rename",
    ["near", "docs/y"],
    ["docs/near", "docs/y", "docs/y/x"],
    {
      grant: { read: ["$CWD/docs/**"], write: ["$CWD/**"] },
      files: { ...near, "proj/docs/near/x": "moved" },
    },
  ),
  moving("a file out of a folder that may not be written", "rename", ["docs/x", "y"], ["near/x", "near/y", "near/y"], {
    grant: { read: ["$CWD/**"], write: ["$CWD/*", "$CWD/near/*"] },
    files: { ...near, "proj/docs/x": "moved" },
  }),
  moving("a copy of a secret", "copyFile", [".env", "env.txt"], ["x", "y", "y"], { files: near }),
  moving("a copy over a secret", "copyFile", ["x", ".env"], ["x", "env", "env"], { files: near }),
  moving("a copy over code", "copyFile", ["x", "package.json"], ["x", "packages.json", "packages.json"], {
    files: near,
  }),
  moving("a copy through a link to a secret", "copyFile", ["plain", "y"], ["also", "y", "y"], {
    files: near,
    links: { "proj/plain": ".env", "proj/also": "x" },
  }),
  moving("a copy onto a link outside", "copyFile", ["x", "out"], ["x", "in", "near/y"], {
    files: near,
    links: { "proj/out": "../outside/note.txt", "proj/in": "near/y" },
  }),
];
