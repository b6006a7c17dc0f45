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
    texts.push(`Copyright: ${named(author) ?? name}`, `Its text: https://spdx.org/licenses/${license}.html`);
  return { heading: `## ${name} ${version} (${license})`, ...splitText(texts.join("\n\n")) };
}

/** What a text says of its own package: the licence's name and who holds the copyright. The rest is the same in many. */
const OWN = /^[ \t]*(?:Copyright\b.*|\(?(?:The )?(?:MIT|ISC) Licen[cs]e\)?(?: \((?:MIT|ISC)\))?)$\n?/gm;
const splitText = (text) => ({
  own: (text.match(OWN) ?? []).map((line) => line.trim()).join("\n\n"),
  rest: text.replace(OWN, "").trim(),
});

/** Comes before what the packages since the last such heading share. */
const REST = "\n\n### For each of the above\n\n";

/** The sections of a file of licences. */
function sectionsOf(file) {
  let shared = "";
  const sections = file
    .split(/^(?=## \S+ \d\S* \(.+\)$)/m)
    .slice(1)
    .reverse()
    .map((part) => {
      const [said, rest] = part.trim().split(REST);
      const [heading, ...own] = said.split("\n");
      shared = rest ?? shared;
      return { heading, own: own.join("\n").trim(), rest: shared };
    });
  return sections.reverse();
}

/** Adds the licences of the packages of which `paths` are files. */
export function addLicences(target, paths) {
  const before = existsSync(target) ? sectionsOf(readFileSync(target, "utf8")) : [];
  const found = paths.flatMap((path) => packageOf(path) ?? []);
  const packages = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  const sections = new Map([...before, ...[...packages.values()].map(section)].map((one) => [one.heading, one]));
  const sorted = [...sections.values()].sort((a, b) => (a.heading < b.heading ? -1 : 1));
  const texts = [...Map.groupBy(sorted, ({ rest }) => rest.replace(/\s+/g, " ")).values()].map((same) =>
    [
      same.map(({ heading, own }) => [heading, own].filter(Boolean).join("\n\n")).join("\n\n"),
      REST.trim(),
      same[0].rest,
    ].join("\n\n"),
  );
  writeFileSync(target, `${[TITLE, ...texts].join("\n\n")}\n`);
}

/** The packages that a file of licences lists. */
export const packagesIn = (text) =>
  [...text.matchAll(HEADING)].map(([, name, version, licence]) => ({ name, version, licence }));
