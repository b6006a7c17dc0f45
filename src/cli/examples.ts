import type { Command } from "commander";

/** Examples by command, as they are typed. */
const EXAMPLES: Record<string, readonly string[]> = {
  demo: ["cordon demo", "cordon demo --hook ./gate.ts --verbose"],
  run: ["cordon run events.jsonl --hook ./gate.ts", "cat events.jsonl | cordon run --json"],
  serve: ["cordon serve --hook ./gate.ts", "cordon serve --no-discover --grants ./grants.json"],
  mcp: ["cordon mcp -- npx some-mcp-server", "cordon mcp --url https://mcp.example.com"],
  check: ["cordon check ./gate.ts", "cordon check @acme/gate --json"],
  trace: ["cordon trace ./gate.ts", "cordon trace ./gate.ts --events events.jsonl --wait 10"],
  init: ["cordon init my-guard", "cordon init @acme/guard --dialect openclaw"],
  dev: ["cordon dev ./gate.ts", "cordon dev . --events events.jsonl", "cordon dev . --once"],
  record: ["cordon record", "cordon record --out events.jsonl"],
  "record list": ["cordon record list"],
  "record stop": ["cordon record stop"],
  replay: ["cordon replay events.jsonl", "cordon replay events.jsonl --hook ./gate.ts --json"],
  report: ["cordon report --open", "cordon report --since 7d --out report.html"],
  add: ["cordon add @acme/gate", "cordon add ./gate.ts --grant ui fs", "cordon add @acme/gate --project"],
  list: ["cordon list", "cordon list --json"],
  update: ["cordon update", "cordon update gate"],
  search: ["cordon search permission", "cordon search gate --index https://hooks.example.com/index.json"],
  info: ["cordon info @acme/gate"],
  "index key": ["cordon index key ./index.key"],
  "index build": ["cordon index build hooks.json --key ./index.key --out index.json"],
  "index list": ["cordon index list"],
  "index forget": ["cordon index forget https://hooks.example.com/index.json"],
  accept: ["cordon accept"],
  grant: ["cordon grant gate exec", `cordon grant gate fs '{"read": ["$CWD/**"]}'`],
  revoke: ["cordon revoke gate exec", "cordon revoke gate"],
  remove: ["cordon remove gate"],
  disable: ["cordon disable gate", "cordon disable gate --project"],
  enable: ["cordon enable gate"],
  restart: ["cordon restart gate"],
  "runtime install": ["cordon runtime install"],
  audit: [
    "cordon audit --since 2h --hook gate",
    "cordon audit --since 16:21 --follow",
    "cordon audit --outcome NOT_GRANTED --tail 20",
    "cordon audit --verify",
  ],
  why: ["cordon why", "cordon why gate --tail 5"],
  install: ["cordon install", "cordon install claude-code", "cordon install pi --monitor"],
  uninstall: ["cordon uninstall claude-code", "cordon uninstall --dry-run"],
  adopt: ["cordon adopt pi --dry-run", "cordon adopt pi --undo"],
  hook: ["cordon hook claude-code < event.json"],
  "daemon run": ["cordon daemon run --home ~/.cordon"],
  "daemon status": ["cordon daemon status"],
  "daemon stop": ["cordon daemon stop"],
  "daemon logs": ["cordon daemon logs"],
  pending: ["cordon pending"],
  "policy check": ["cordon policy check policy.json --explain"],
  doctor: ["cordon doctor", "cordon doctor --strict --json"],
  completion: ["source <(cordon completion bash)", "cordon completion fish > ~/.config/fish/completions/cordon.fish"],
};

/** What a person must know beside the options. */
const NOTES: Record<string, readonly string[]> = {
  add: [
    "Registries are those of your npm settings (~/.npmrc): registry=URL, @me:registry=URL for a scope, and",
    "//HOST/:_authToken=TOKEN, which npm login --registry URL writes. A project's .npmrc and npm_config_*",
    "variables do not count.",
  ],
  audit: [
    "(trial): hooks were only tried, by run, check, trace, dev, replay, demo or a test. Reports, why, list and",
    "doctor leave these lines out. (monitored): hooks only monitored, so that what they blocked ran.",
  ],
};

/** Ends the help of each command with its notes and examples. */
export function addExamples(program: Command, path = ""): void {
  for (const command of program.commands) {
    const name = `${path}${command.name()}`;
    const examples = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
    const notes = Object.hasOwn(NOTES, name) ? NOTES[name] : undefined;
    if (notes) command.addHelpText("after", `\n${notes.join("\n")}`);
    if (examples) command.addHelpText("after", `\nExamples:\n${examples.map((one) => `  ${one}`).join("\n")}`);
    addExamples(command, `${name} `);
  }
}
