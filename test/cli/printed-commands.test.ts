import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "acorn";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { about, command } from "../../src/base/shell-word.ts";
import { temporaryFolder } from "../support/session.ts";

/** Names that a shell would read as more than a word, and that a line for people would change. */
const NAMES = [
  "gate",
  "@acme/gate#src/b.ts",
  "gate#$(touch PWNED;echo x).ts",
  "gate#`touch PWNED`.ts",
  "npm:gate@1.0.0;touch PWNED",
  "github:a/b#$(touch${IFS}PWNED)",
  "#gate",
  "~/gate.ts",
  "it's.ts",
  "a'\u001b]0;'\u0007;touch PWNED;'.ts",
  "\u202esp.ts",
  "two  spaces\nand a line.ts",
  "-x.ts",
  "--project",
  "",
];

test.each(["bash", "sh"])("%s reads a name in a command as that name, and runs nothing of it", (shell) => {
  const cwd = temporaryFolder();
  const words = (line: string): string[] => {
    const script = `cordon() { for one; do printf '%s\\0' "$one"; done; }\n${line}`;
    return execFileSync(shell, ["-c", script], { cwd, encoding: "utf8" }).split("\0").slice(0, -1);
  };
  for (const name of NAMES) {
    const line = command`cordon remove ${name}`;
    expect(line).toMatch(/^[ -~]*$/);
    const read = words(line);
    // A shell without these escapes finds no hook of that name.
    if (shell === "bash" || !line.includes("$'"))
      expect(read).toEqual(["remove", ...(name.startsWith("-") ? ["--"] : []), name]);
  }
  expect(readdirSync(cwd)).toEqual([]);
});

test("what needs no quotation marks has none, an option's value is none, and an agent's own command is no shell's", () => {
  expect(command`cordon grant ${"gate#b.ts"} ${"env"}`).toBe("cordon grant gate#b.ts env");
  expect(command`cordon grant ${"-x"} ${"-y"}`).toBe("cordon grant -- -x -y");
  expect(command`cordon audit --hook ${"-x"} --tail 9`).toBe("cordon audit --hook -x --tail 9");
  expect(about("cordon remove", "a b")).toBe("cordon remove 'a b'");
  expect(about("/cordon restart", "a b")).toBe("/cordon restart a b");
});

/** A text with a command of Cordon's or another one, and a value in it. `\0` stands for each value. */
const UNQUOTED = [
  /(?<!\/)\bcordon(?: -?-?[a-z][a-z-]*)* \0/,
  /\b(run|by|as in|with): (?!no )[a-z]+ [^\0;,:]*\0/,
  /\0 (accept|add|audit|check|disable|enable|grant|install|remove|restart|revoke|trace|update|why) \0/,
  /\b[A-Z_]+=\0 cordon\b/,
];

const plain = (text: string): boolean => !UNQUOTED.some((pattern) => pattern.test(text));

interface Node {
  type?: string;
  tag?: { name?: string };
  quasi?: Node;
  quasis?: { value: { cooked: string } }[];
  operator?: string;
  left?: { value?: unknown };
}

/** The texts of a source that put a value into a command without {@link command}. */
function unquotedIn(path: string, source: string): string[] {
  const found: string[] = [];
  const { code } = transformSync(source, { loader: "ts" });
  const look = (node: Node, isCommand = false): void => {
    const text =
      node.type === "TemplateLiteral" && !isCommand
        ? node.quasis?.map(({ value }) => value.cooked).join("\0")
        : node.type === "BinaryExpression" && node.operator === "+" && `${node.left?.value}\0`;
    if (text && !plain(text)) found.push(`${path}: ${text.replaceAll("\0", "VALUE")}`);
    for (const part of Object.values(node).flat() as unknown[])
      if (typeof part === "object" && part !== null) look(part, part === node.quasi && node.tag?.name === "command");
  };
  look(parse(code, { ecmaVersion: "latest", sourceType: "module" }) as Node);
  return found;
}

test("no text of Cordon's puts a value into a command as it is", () => {
  const paths = ["src", "sandbox"].flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.includes("node_modules"))
      .map((path) => join(folder, path)),
  );
  expect(paths.length).toBeGreaterThan(500);
  const found = paths.flatMap((path) => unquotedIn(path, readFileSync(join(PACKAGE_ROOT, path), "utf8")));
  // The value is the name of a command.
  expect(found).toEqual(["src/cli/main.ts: run cordon VALUE --help to see how it is used"]);
});

test.each([
  "`it is so; run: cordon remove ${id}`",
  "print`to take it out: cordon remove ${id}`",
  "`run: chmod 700 ${path}`",
  "`${typed} restart ${name}: tries it again`",
  "`CORDON_POLICY=${file} cordon run`",
  '"run: cordon remove " + id',
])("such a text would be found: %s", (source) => {
  expect(unquotedIn("x.ts", source).length).toBe(1);
});
