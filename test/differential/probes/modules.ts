/** Modules of every kind that jiti takes and that must work here. */
const BODY = 'pi.on("agent_start", (_: any, ctx: any) => ctx.ui.notify(String(word), "info"));';
export const MODULES: Record<string, string> = {
  "top-level await": `const word = await Promise.resolve("awaited");\nexport default function (pi: any) { ${BODY} }`,
  "enum and namespace": `enum E { One = 1, Two }\nnamespace N { export const three = 3; }\nconst word = [E.Two, E[1], N.three].join();\nexport default function (pi: any) { ${BODY} }`,
  "module.exports": `const word = "common";\nmodule.exports = function (pi: any) { ${BODY} };`,
  "an async factory": `const word = "async";\nexport default async function (pi: any) { ${BODY} }`,
  "an arrow": `const word = "arrow";\nexport default (pi: any) => { ${BODY} };`,
  "node:path and typebox": `import { join } from "node:path";\nimport { Type } from "@sinclair/typebox";\nconst word = [join("a", "..", "b"), Type.String().type].join();\nexport default function (pi: any) { ${BODY} }`,
  "__dirname and import.meta.url": `const word = [__dirname, import.meta.url].map((place) => place.split("/").at(-1)).join();\nexport default function (pi: any) { ${BODY} }`,
  "globals that V8 alone lacks": `const word = [new URL("../x?y=1", "https://a.example/b/c").href, new URLSearchParams("a=1&b=2").get("b"), structuredClone({ deep: [1] }).deep[0], atob(btoa("hi")), new TextDecoder().decode(new TextEncoder().encode("ü"))].join();\nexport default function (pi: any) { ${BODY} }`,
};
