/** Writes down whose code is part of what is built, under which licence. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const TITLE = "# Licences of the packages whose code is part of this folder";
/** The heading of a package's section. */
const HEADING = /^## (\S+) (\d\S*) \((.+)\)$/gm;

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
  const files = readdirSync(folder).filter((one) => /^(licen[cs]e|notice|copying)([.-]\w+)?$/i.test(one));
  const texts = files.map((one) => readFileSync(join(folder, one), "utf8").trim());
  if (files.length === 0)
    texts.push(`Copyright: ${named(author) ?? name}. Its text: https://spdx.org/licenses/${license}.html`);
  return { heading: `## ${name} ${version} (${license})`, text: texts.join("\n\n") };
}

/** The sections of a file of licences. Packages with the same text share one. */
const sectionsOf = (file) =>
  file
    .split(/^(?=## \S+ \d\S* \(.+\)$)/m)
    .slice(1)
    .reduceRight(([next, ...others], part) => {
      const [heading, ...lines] = part.trim().split("\n");
      return [{ heading, text: lines.join("\n").trim() || next.text }, ...(next ? [next] : []), ...others];
    }, []);

/** Adds the licences of the packages of which `paths` are files. */
export function addLicences(target, paths) {
  const before = existsSync(target) ? sectionsOf(readFileSync(target, "utf8")) : [];
  const found = paths.flatMap((path) => packageOf(path) ?? []);
  const packages = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  const sections = new Map([...before, ...[...packages.values()].map(section)].map((one) => [one.heading, one]));
  const sorted = [...sections.values()].sort((a, b) => (a.heading < b.heading ? -1 : 1));
  const texts = [...Map.groupBy(sorted, ({ text }) => text)].map(([text, same]) =>
    [...same.map(({ heading }) => heading), text].join("\n\n"),
  );
  writeFileSync(target, `${[TITLE, ...texts].join("\n\n")}\n`);
}

/** The packages that a file of licences lists. */
export const packagesIn = (text) =>
  [...text.matchAll(HEADING)].map(([, name, version, licence]) => ({ name, version, licence }));
