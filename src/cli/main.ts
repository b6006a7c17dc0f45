import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Argument, Command, CommanderError } from "commander";
import { writeSharedChain } from "../audit/short-process.ts";
import { TIME_FORMS } from "../audit/since.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { PACKAGE_ROOT } from "../base/package-root.ts";
import {
  count,
  folderAt,
  gather,
  hostOptions,
  Refused,
  seconds,
  UsageError,
  withHostFlags,
  withRecording,
} from "./common.ts";
import { addExamples } from "./examples.ts";
import { dropLostOutput } from "./lost-output.ts";
import { sayMarked } from "./print.ts";
import { pastTime } from "./since.ts";

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));

const program = new Command("cordon")
  .description("Runs agent hooks that strangers wrote, each in its own isolate, with the powers you granted.")
  .option("--json", "output for programs")
  .version(version)
  .exitOverride()
  // Beside the options of a narrow terminal, too.
  .configureHelp({ minWidthToWrap: 18 })
  .showHelpAfterError("run cordon --help to see the commands");

/** Commands whose hosts run for a session: each has a file of the audit to itself. */
const SESSIONS: ReadonlySet<string> = new Set(["serve", "mcp", "dev", "demo"]);

program.hook("preAction", (_program, command) => {
  const { cwd } = command.opts();
  // An agent hears of it in the session that it begins.
  if (cwd !== undefined && command.name() !== "serve") folderAt(cwd);
  if (!SESSIONS.has(command.name()) && command.parent !== daemon) writeSharedChain();
});

/** A command, with the arguments that its usage names. */
function command(usage: string, description: string, parent = program): Command {
  const made = parent.command(usage).description(description);
  const name = parent === program ? made.name() : `${parent.name()} ${made.name()}`;
  return made.showHelpAfterError(`run cordon ${name} --help to see how it is used`);
}

/** A command about a project: the one in this folder, unless it is named. */
const ofProject = (usage: string, description: string): Command =>
  command(usage, description).option("--cwd <dir>", "the project (default: this folder)");

/** Commands load what they need when they run: `--help` stays quick. */
withHostFlags(command("demo", "watch hooks guard a scripted agent, hostile ones among them"))
  .option("--interactive", "answer the dialogs yourself")
  .option("--verbose", "print all that hooks say, try and use")
  .action(async (flags) => (await import("./demo/demo.ts")).demo({ ...flags, ...program.opts() }));

withRecording(
  withHostFlags(
    command("run", "send events (JSON Lines) to hooks and print their verdicts").argument(
      "[file]",
      "events; standard input if left out",
    ),
  ),
).action(async (file, flags) => (await import("./run.ts")).run(file, { ...flags, ...program.opts() }));

withRecording(withHostFlags(command("serve", "speak JSON-RPC to an agent on standard input and output"))).action(
  async (flags) => (await import("../rpc/serve.ts")).serve(() => hostOptions(flags)),
);

withRecording(
  withHostFlags(
    command("mcp", "put hooks around an MCP server: cordon mcp -- COMMAND, or --url URL").argument(
      "[command...]",
      "starts the server, after --",
    ),
  ),
)
  .option("--url <url>", "the address of a server that is reached over streamable HTTP")
  .option("--header <text>", "NAME: VALUE, sent to that address (repeatable)", gather)
  .option("--tool-name <text>", "NAME=SEEN: the name that hooks see of the server's tool NAME (repeatable)", gather)
  .action(async (words, flags) => (await import("./mcp.ts")).mcp(words, flags));

command("init", "write a new hook package: a hook, its manifest and a test")
  .argument("[name]", "the package's name, as in my-guard or @me/guard")
  .option(
    "--dialect <name>",
    "what it is written for: pi, interceptors, openclaw, strands or extension (default: it asks on a terminal)",
  )
  .action(async (name, flags) => (await import("./init.ts")).init(name, { ...flags, ...program.opts() }));
withHostFlags(
  command("replay", "judge a recorded session with today's hooks, and print what would be decided otherwise").argument(
    "<file>",
    "a recording, from cordon record",
  ),
)
  .option("--act", "let hooks use their powers: programs run, files are written, messages are sent")
  .action(async (file, flags) => (await import("./replay.ts")).replay(file, { ...flags, ...program.opts() }));

const record = ofProject(
  "record",
  "record the next session of an agent with Cordon, for run, trace, dev, replay and tests",
)
  .option("--out <file>", "in this new file (default: one in Cordon's home)")
  .action(async (flags) => (await import("./record.ts")).record({ ...flags, ...program.opts() }));
command("stop", "end all recordings, and record no session that is to come", record).action(async () =>
  (await import("./record.ts")).stopRecording(program.opts()),
);
command("list", "list what is recorded now, what will be, and the recordings in Cordon's home", record).action(
  async () => (await import("./record.ts")).listRecordings(program.opts()),
);

command("check", "build a hook and print what it hears, needs and would be refused")
  .argument("<path>", "a hook's file, or the id of an installed one")
  .option("--sarif", "print its warnings as SARIF 2.1.0, for code scanning in CI")
  .action(async (path, flags) => (await import("./check.ts")).check(path, { ...flags, ...program.opts() }));

command("dev", "judge events with a hook now and after each change, and show verdicts, refusals, time and memory")
  .argument("<path>", "a hook's file, a package or a folder with hooks")
  .option("--events <file>", "use these events: JSON Lines, a recording (default: samples)")
  .option("--grants <file>", "use the powers that this file grants (default: those that the manifest asks for)")
  .option("--act", "let hooks use their powers: programs run, files are written, messages are sent")
  .option("--cwd <dir>", "the working directory the hook sees (default: the hook's folder)")
  .option("--once", "end after the first run, with exit code 1 for a failure or a refusal")
  .action(async (path, flags) => (await import("./dev/dev.ts")).dev(path, { ...flags, ...program.opts() }));

command("trace", "send events to a hook without powers, and print the least grant that covers what it tried")
  .argument("<path>", "a hook's file, or the id of an installed one")
  .option("--events <file>", "use these events: JSON Lines, a recording (default: samples)")
  .option(
    "--grants <file>",
    "use the powers that this file grants, for real: shows what is still missing (default: no powers)",
  )
  .option("--no-grants", "propose what it tried alone, without what it was granted before")
  .option(
    "--cwd <dir>",
    "the working directory the hook sees (default: the hook's folder, or this one for an installed hook)",
  )
  .option("--write", "add the proposal to the hook's manifest; all else in it stays")
  .option("--wait <seconds>", "keep watching this long: trigger what the hook waits for (default: 0)", seconds)
  .action(async (path, flags) => (await import("./trace.ts")).trace(path, { ...flags, ...program.opts() }));

command("add", "fetch a hook, see what it asks for, and install it with the powers you choose")
  .argument("<spec>", "an npm name, a tarball, a git URL, a folder or a .ts file")
  .option(
    "--grant <power...>",
    "grant these powers without asking; none for no powers (default: it asks on a terminal)",
  )
  .option("--project", "for this project only: .cordon/hooks.lock names it, and others can accept it")
  // What follows `--grant` is a power, the spec too.
  .showHelpAfterError(
    "name it first, as in cordon add ./gate.ts --grant ui; run cordon add --help to see how it is used",
  )
  .action(async (spec, flags) => (await import("./add.ts")).add(spec, { ...flags, ...program.opts() }));

ofProject("list", "list the hooks, their powers and their history").action(async (flags) =>
  (await import("./list.ts")).list({ ...flags, ...program.opts() }),
);

command("update [id]", "update installed hooks; a version that asks for more, or guards less, waits for you").action(
  async (id) => (await import("./update.ts")).update(id, program.opts()),
);

command("search <word>", "find hooks in your indexes and in npm's registry")
  .option("--index <address...>", "a signed index, a file or URL; it is remembered (default: those that are)")
  .action(async (word, flags) => (await import("./search.ts")).search(word, { ...flags, ...program.opts() }));

command("info <name>", "print what the indexes say about one hook")
  .option("--index <address...>", "a signed index, a file or URL; it is remembered (default: those that are)")
  .action(async (name, flags) => (await import("./search.ts")).info(name, { ...flags, ...program.opts() }));

const index = command("index", "create an index of your own: a static file that others search");
command("key <file>", "create the key that signs an index", index).action(async (file) =>
  (await import("./index-build.ts")).indexKey(file, program.opts()),
);
command("build <file>", "check and sign a list of hooks", index)
  .requiredOption("--key <file>", "the key, from cordon index key")
  .requiredOption("--out <file>", "the file that others read")
  .action(async (file, flags) => (await import("./index-build.ts")).indexBuild(file, { ...flags, ...program.opts() }));

command("list", "list the indexes that are remembered", index).action(async () =>
  (await import("./index-known.ts")).indexList(program.opts()),
);
command("forget <address>", "forget an index, and the key that it was signed with; asks on a terminal", index).action(
  async (address) => (await import("./index-known.ts")).indexForget(address, program.opts()),
);

ofProject("accept", "decide about this project's hooks, one by one").action(async (flags) =>
  (await import("./accept.ts")).accept({ ...flags, ...program.opts() }),
);

ofProject(
  "grant <id> <power> [value]",
  "grant a hook one power, as its manifest asks for it or as the value (JSON) says",
).action(async (id, power, value, flags) =>
  (await import("./grant.ts")).grant(id, power, value, { ...flags, ...program.opts() }),
);

ofProject("revoke <id> [power]", "revoke one power of a hook, or all but to hear and block").action(
  async (id, power, flags) => (await import("./grant.ts")).revoke(id, power, { ...flags, ...program.opts() }),
);

ofProject("remove <id>", "remove a hook that was installed, accepted or granted powers; asks on a terminal").action(
  async (id, flags) => (await import("./grant.ts")).remove(id, { ...flags, ...program.opts() }),
);

ofProject("disable <id>", "stop a hook, until you enable it again; its powers stay as they are; asks on a terminal")
  .option("--project", "in this project only")
  .action(async (id, flags) => (await import("./disable.ts")).disable(id, { ...flags, ...program.opts() }));

ofProject("enable <id>", "run a disabled hook again, with the powers that it had; asks on a terminal")
  .option("--project", "in this project only")
  .action(async (id, flags) => (await import("./disable.ts")).enable(id, { ...flags, ...program.opts() }));

command("restart <id>", "restart a stopped or failed hook in all running hosts").action(async (id) =>
  (await import("./restart.ts")).restart(id, program.opts()),
);

const runtime = command("runtime", "the Node and isolated-vm that sandboxes run on");
command("install", "download them into Cordon's home", runtime).action(async () =>
  (await import("./runtime-install.ts")).runtimeInstall(program.opts()),
);

command("audit", "print what hooks did and were refused, oldest first")
  .option("--hook <id>", "only this hook; cordon: lines of Cordon itself (default: all)")
  .option("--power <name>", "only this power (fs, exec, ui, ...) or event (default: all)")
  .option(
    "--outcome <word>",
    "only this outcome: pass, block, would block, rewrite, withheld, cancel, allowed, or a code such as NOT_GRANTED (default: all)",
  )
  .option(
    "--since <time>",
    `only what happened since then: ${TIME_FORMS}; without a zone, in yours (default: the first line)`,
    pastTime,
  )
  .option("--tail <count>", "only the newest so many (default: all)", count)
  .option("--no-trials", "without what only tried hooks or looked at them, such as cordon run and list")
  .option("--follow", "go on printing what happens, until Ctrl+C")
  .option(
    "--verify",
    "find lines that were changed, added, moved or removed, except at the end behind what the last report saw",
  )
  .option("--head <hash>", "verify, and check that the line with this hash exists: finds a truncated or rewritten log")
  .action(async (flags) => (await import("./audit.ts")).audit({ ...flags, ...program.opts() }));

ofProject("report", "write a page to look at: what hooks may do, what they did, and whether anything is wrong")
  .option(
    "--since <time>",
    `count from then on: ${TIME_FORMS}; without a zone, in yours (default: the first line)`,
    pastTime,
  )
  .option("--out <file>", "write it there (default: reports/report.html in Cordon's home)")
  .option("--open", "open it in your browser")
  .option("--clear", "take the audit log as it is from now on, although lines that a report saw are gone")
  .action(async (flags) => (await import("./report.ts")).report({ ...flags, ...program.opts() }));

ofProject("why [id]", "say why the last call was blocked: which hook, which handler, what input, what to do")
  .option("--tail <count>", "the newest so many, newest first (default: 1)", count)
  .action(async (id, flags) => (await import("./why.ts")).why(id, { ...flags, ...program.opts() }));

ofProject("install [agent]", "enter Cordon first in the settings of an agent, or list the agents that it knows")
  .option("--monitor", "to monitor only: what hooks would have blocked is recorded, and runs")
  .option("--project", "in your own settings of this project, instead of those of all projects")
  .option("--dry-run", "show the change, and change nothing")
  .action(async (agent, flags) => {
    const { install, installable } = await import("./install.ts");
    if (agent === undefined) refuseAlone("cordon install AGENT", flags, ["monitor", "project", "dryRun"]);
    const options = { ...flags, ...program.opts() };
    await (agent === undefined ? installable(options) : install(agent, options));
  });

ofProject("uninstall [agent]", "take Cordon out of an agent's settings; without one, out of all, and off this machine")
  .option("--project", "out of your own settings of this project")
  .option("--dry-run", "show the change, and change nothing")
  .action(async (agent, flags) => {
    if (agent === undefined) refuseAlone("cordon uninstall AGENT", flags, ["project"]);
    const options = { ...flags, ...program.opts() };
    if (agent === undefined) await (await import("./uninstall-all.ts")).uninstallAll(options);
    else await (await import("./install.ts")).uninstall(agent, options);
  });

ofProject("adopt <agent>", "move what an agent runs of others into Cordon, one by one, after a look at each")
  .option("--undo", "give it back to the agent, and remove it from Cordon")
  .option("--dry-run", "list it, and whether each can be contained; change nothing")
  .action(async (agent, flags) => (await import("./adopt.ts")).adopt(agent, { ...flags, ...program.opts() }));

command("hook <agent>", "judge one event of an agent, read from standard input, and answer as it expects")
  .option("--event <name>", "the agent's name for the event (default: what the event says)")
  .option("--note", "the event decides nothing: a failure is no block")
  .option("--wait <seconds>", "how long the agent waits, in seconds (default: 60)", seconds)
  .action(async (agent, flags) => (await import("./hook.ts")).hook(agent, flags));

const daemon = command("daemon", "the process that has the hooks of agents that run a command for each event");
command("run", "serve them, until there are no sessions; cordon hook starts this", daemon)
  .requiredOption("--home <dir>", "Cordon's home")
  .action(async ({ home }) => (await import("./daemon.ts")).runDaemon(home, version));
command("status", "print whether it runs, and its sessions", daemon).action(async () =>
  (await import("./daemon.ts")).daemonStatus(program.opts()),
);
command("stop", "end it; the next event starts another one", daemon).action(async () =>
  (await import("./daemon.ts")).stopDaemon(program.opts()),
);
command("logs", "print its log", daemon).action(async () => (await import("./daemon.ts")).daemonLogs());

command("pending", "list the questions of hooks that wait for you, and answer them").action(async () =>
  (await import("./pending.ts")).pending(program.opts()),
);

const policy = command("policy", "what an organisation allows its users' hooks");
command("check <file>", "check a policy file, and print what it would take from the hooks here", policy)
  .option("--explain", "say what each rule means, and which hooks lose nothing")
  .option("--cwd <dir>", "the project (default: this folder)")
  .action(async (file, flags) => (await import("./policy.ts")).policyCheck(file, { ...flags, ...program.opts() }));

ofProject("doctor", "report what protects this machine, and what is wrong")
  .option("--strict", "for CI: what is only worth knowing fails, too, if it can be mended")
  .option("--quiet", "print only agents that run calls unjudged: for a shell's profile; starts nothing")
  .action(async (flags) => (await import("./doctor.ts")).doctor({ ...flags, ...program.opts() }));

command("completion", "print what makes a shell complete Cordon's commands, flags and hooks")
  .addArgument(new Argument("<shell>", "your shell").choices(["bash", "zsh", "fish"]))
  .action(async (shell) => (await import("./completion.ts")).completion(shell));
program
  .command("complete [words...]", { hidden: true })
  .description("what may follow these words: the scripts of cordon completion ask this")
  .action(async (words) => (await import("./completion.ts")).complete(program, words));

addExamples(program);

/** Throws for options that are about one agent, where none is named: nothing would be done, and nobody told. */
function refuseAlone(example: string, flags: Readonly<Record<string, unknown>>, ofOne: readonly string[]): void {
  const given = ofOne.filter((flag) => flags[flag] === true);
  if (given.length === 0) return;
  const options = given.map((flag) => `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`).join(" ");
  throw new UsageError(`${options} is about one agent: name it, as in ${example}`);
}

/** Commands that speak a protocol, or print a text. */
const IN_ONE_FORM: ReadonlySet<string> = new Set(["serve", "mcp", "hook", "completion", "daemon run", "daemon logs"]);

for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
  command.exitOverride();
  const name = command.parent === daemon ? `daemon ${command.name()}` : command.name();
  const json = IN_ONE_FORM.has(name) ? "changes nothing here: the output has one form" : "output for programs";
  if (command !== program) command.option("--json", json).on("option:json", () => program.setOptionValue("json", true));
}

dropLostOutput();

const helpAt = process.argv.findIndex((arg, at) => at > 1 && !arg.startsWith("-"));
const named = process.argv[helpAt + 1] ?? "--help";
const isHelpOfUnknown =
  process.argv[helpAt] === "help" &&
  !named.startsWith("-") &&
  ![...program.commands.map((one) => one.name()), "help"].includes(named);

try {
  // Of an unknown command, help says what running it would.
  await program.parseAsync(isHelpOfUnknown ? process.argv.toSpliced(helpAt, 1) : process.argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
  for (const output of [process.stdout, process.stderr]) await new Promise((done) => output.write("", done));
  // An abandoned download goes on for as long as its server likes.
  process.exit();
}

function exitCodeOf(error: unknown): number {
  // commander printed what is wrong. Requested help is no mistake, and a group without its command is one.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const code = error instanceof CordonError ? ` (${error.code})` : "";
  const isSaid = error instanceof Refused && !error.message;
  if (!isSaid) sayMarked`cordon: ${`${messageOf(error)}${code}`}`;
  return error instanceof UsageError ? 2 : 1;
}
