import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.ts";
import { temporaryFolder } from "./support/session.ts";

interface Rule {
  name: string;
  /** Files it is about. */
  from: RegExp;
  /** Imports that break it. */
  forbids: RegExp;
  except?: RegExp;
  /** A file and its content that must be caught. */
  planted: [file: string, content: string];
}

/** Which ring may import what (DESIGN, the three rings). Types vanish before the graph is made and are free. */
const RULES: Rule[] = [
  {
    name: "src takes nothing of the sandbox but the wire",
    from: /^src\//,
    forbids: /^sandbox\//,
    except: /^sandbox\/wire\//,
    planted: ["src/planted.ts", 'import { confine } from "../sandbox/process/confine.ts";\nconfine();\n'],
  },
  {
    name: "nothing in src imports the hooks we ship, or tests",
    from: /^src\//,
    forbids: /^(hooks|test)\//,
    planted: ["src/planted.ts", 'import gate from "../hooks/permission-gate.ts";\nconsole.log(gate);\n'],
  },
  {
    name: "the agent's process never loads the addon",
    from: /^src\//,
    forbids: /^isolated-vm$/,
    planted: ["src/planted.ts", 'import ivm from "isolated-vm";\nconsole.log(ivm);\n'],
  },
  {
    name: "programs are started in the listed places only",
    from: /^src\//,
    forbids: /^(node:)?child_process$/,
    planted: ["src/planted.ts", 'import { execSync } from "node:child_process";\nexecSync("true");\n'],
  },
  {
    name: "the net power alone opens sockets",
    from: /^src\/(?!powers\/net-)/,
    forbids: /^(node:)?(net|http|https|http2|tls|dgram|dns)(\/|$)/,
    planted: ["src/planted.ts", 'import { connect } from "node:net";\nconnect(1);\n'],
  },
  {
    name: "sandbox imports nothing of src",
    from: /^sandbox\//,
    forbids: /^(src|test|hooks)\//,
    planted: ["sandbox/planted.ts", 'import { cleanText } from "../src/base/text.ts";\ncleanText("", 1);\n'],
  },
  {
    name: "sandbox/process/main.ts alone imports Node's modules",
    from: /^sandbox\/(?!process\/main\.ts|guest\/)/,
    forbids: /^node:|^(fs|net|child_process|crypto)$/,
    planted: ["sandbox/planted.ts", 'import { readFileSync } from "node:fs";\nreadFileSync("");\n'],
  },
  {
    name: "the sandbox's own part takes nothing of the guest",
    from: /^sandbox\/(?!guest\/)/,
    forbids: /^sandbox\/guest\//,
    planted: ["sandbox/planted.ts", 'import { harden } from "./guest/core/harden.ts";\nharden({ eval: false });\n'],
  },
  {
    name: "the guest takes nothing of Node, and of the sandbox process only the wire",
    from: /^sandbox\/guest\//,
    forbids: /^node:|^isolated-vm$|^sandbox\/(?!guest\/|wire\/messages\.ts$)|^(src|test)\//,
    planted: ["sandbox/guest/planted.ts", 'import { encodeFrame } from "../wire/frame.ts";\nencodeFrame(1, 1, "");\n'],
  },
  {
    name: "the library of interceptors, which hosts use too, takes nothing of the guest",
    from: /^sandbox\/guest\/interceptors\//,
    forbids: /^(?!sandbox\/guest\/interceptors\/|unbash$)/,
    planted: [
      "sandbox/guest/interceptors/planted.ts",
      'import { failure } from "../core/outcome.ts";\nfailure("", "");\n',
    ],
  },
];

/** Where `src` may start programs: sandboxes, builds, the runtime's version, granted programs, the demo. */
const STARTS_PROGRAMS = new Set([
  "src/supervisor/launch.ts",
  "src/bundle/build.ts",
  "src/runtime/locate.ts",
  "src/powers/program-watch.ts",
  "src/powers/run-program.ts",
  "src/cli/demo/tools.ts",
  "src/cli/demo/workplace.ts",
  "src/cli/demo/intact.ts",
]);

async function violations(root: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/**/*.ts", "sandbox/**/*.ts"],
    bundle: true,
    write: false,
    outdir: "out",
    metafile: true,
    packages: "external",
    platform: "node",
    format: "esm",
    treeShaking: false,
    loader: { ".txt": "text" },
    external: ["*.txt"],
    logLevel: "silent",
  });
  return Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.flatMap((found) =>
      RULES.filter((rule) => rule.from.test(file) && rule.forbids.test(found.path) && !rule.except?.test(found.path))
        .filter((rule) => rule.name !== "programs are started in the listed places only" || !STARTS_PROGRAMS.has(file))
        .map((rule) => `${rule.name}: ${file} imports ${found.path}`),
    ),
  );
}

test("every import stays within its ring", async () => {
  expect(await violations(PACKAGE_ROOT)).toEqual([]);
});

test("the guest is type-checked without Node's or the DOM's types", () => {
  const config = JSON.parse(readFileSync(join(PACKAGE_ROOT, "sandbox/guest/tsconfig.json"), "utf8"));
  expect(config.compilerOptions.types).toEqual([]);
  expect(config.compilerOptions.lib).toEqual(["es2024"]);
});

describe("a planted violation is caught", () => {
  for (const rule of RULES) {
    test(rule.name, async () => {
      const root = temporaryFolder();
      for (const part of ["src", "sandbox", "hooks", "package.json"])
        cpSync(join(PACKAGE_ROOT, part), join(root, part), { recursive: true });
      const [file, content] = rule.planted;
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), content);
      expect((await violations(root)).filter((text) => text.startsWith(rule.name))).toHaveLength(1);
    });
  }
});
