/** Writes down whose code is part of what is built, under which licence. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder and the description of the package that a file belongs to; undefined if it is ours. */
function packageOf(path) {
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const description = join(folder, "package.json");
    if (!existsSync(description)) continue;
    const { name, version, license, author } = JSON.parse(readFileSync(description, "utf8"));
    if (name && version) return { folder, name, version, license, author };
  }
}

const named = (author) => (typeof author === "string" ? author : author?.name);

function section({ folder, name, version, license, author }) {
  const file = readdirSync(folder).find((one) => /^licen[cs]e(\.(md|txt))?$/i.test(one));
  const text = file
    ? readFileSync(join(folder, file), "utf8").trim()
    : `${license}. Copyright: ${named(author) ?? name}`;
  return `## ${name} ${version} (${license})\n\n${text}\n`;
}

/** Writes the licences of the packages of which `paths` are files. */
export function writeLicences(target, paths) {
  const packages = new Map(
    paths.flatMap((path) => {
      const found = packageOf(path);
      return found ? [[`${found.name} ${found.version}`, found]] : [];
    }),
  );
  const sections = [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => section(one));
  writeFileSync(target, `# Licences of the packages whose code is part of this folder\n\n${sections.join("\n")}`);
}
