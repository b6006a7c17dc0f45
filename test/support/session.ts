import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { AuditLine } from "../../src/audit/line.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookError } from "../../src/session/hook-error.ts";
import type { LogLine } from "../../src/session/log-line.ts";
import type { HookHostOptions } from "../../src/session/options.ts";

/** A new real folder. Removed when the test ends. */
export function temporaryFolder(): string {
  const folder = newFolder();
  // A program that a test ended may still write.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** A new real folder, which its user removes. */
export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "cordon-test-")));

/** Writes files under a folder: path to content. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A user interface that answers from a script and records what it shows. */
export function scriptedUi(
  answers: {
    select?: (title: string, options: string[]) => string | null;
    confirm?: boolean;
    input?: string | null;
  } = {},
) {
  const shown: { kind: string; title: string; rest: unknown }[] = [];
  return {
    shown,
    select: async (title: string, options: string[]) => {
      shown.push({ kind: "select", title, rest: options });
      return answers.select ? answers.select(title, options) : null;
    },
    confirm: async (title: string, message: string) => {
      shown.push({ kind: "confirm", title, rest: message });
      return answers.confirm ?? false;
    },
    input: async (title: string, placeholder?: string) => {
      shown.push({ kind: "input", title, rest: placeholder });
      return answers.input ?? null;
    },
    notify: (message: string, type?: string) => {
      shown.push({ kind: "notify", title: message, rest: type });
    },
  };
}

export interface TestSession {
  host: HookHost;
  /** Contains `work` (cwd), `hooks` (the hook files) and `home`. */
  folder: string;
  errors: HookError[];
  log: LogLine[];
  audit: AuditLine[];
  /** Emits a tool call, by default `bash` with a command. */
  call(input?: Record<string, unknown> | string, toolName?: string): ReturnType<HookHost["emitToolCall"]>;
}

type Grant = NonNullable<Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>["grant"]>;

/** Hooks by name: a source, or a source with its grant and manifest. */
export type Sources = Record<string, string | { source: string; manifest?: object; grant?: Grant; trust?: "full" }>;

/**
 * A host with hooks from sources, each in a file `hooks/<name>.ts` under its name as id. Closed when the test ends.
 * Several hooks share one process, unless their grants say otherwise.
 */
export async function startSession(sources: Sources, options: Partial<HookHostOptions> = {}): Promise<TestSession> {
  const session = await openSession(temporaryFolder(), sources, options);
  onTestFinished(() => session.host.close());
  return session;
}

/**
 * The same for all tests of a file or a `describe`: it starts before the first, and is closed after the last.
 * Until it starts, `sources` may grow.
 */
export function sharedSession(sources: Sources, options: Partial<HookHostOptions> = {}): Readonly<TestSession> {
  let session: TestSession;
  beforeAll(async () => {
    session = await openSession(newFolder(), sources, options);
  });
  afterAll(async () => {
    await session.host.close();
    rmSync(session.folder, { recursive: true, force: true });
  });
  return new Proxy({} as TestSession, { get: (_target, name) => session[name as keyof TestSession] });
}

async function openSession(folder: string, sources: Sources, options: Partial<HookHostOptions>): Promise<TestSession> {
  mkdirSync(join(folder, "work"));
  const hooks = Object.entries(sources).map(([name, given]) => {
    const { source, manifest, ...rest } = typeof given === "string" ? { source: given, manifest: undefined } : given;
    writeFiles(folder, { [`hooks/${name}.ts`]: source });
    if (manifest) writeFiles(folder, { [`hooks/${name}.hook.json`]: JSON.stringify(manifest) });
    return { path: join(folder, "hooks", `${name}.ts`), id: name, ...rest };
  });
  const errors: HookError[] = [];
  const log: LogLine[] = [];
  const audit: AuditLine[] = [];
  const host = await HookHost.start({
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    agentDir: join(folder, "agent"),
    discover: false,
    // Few tests need it, and each host would start one more process.
    spare: false,
    hooks,
    log: (line) => log.push(line),
    onAudit: (line) => audit.push(line),
    ...options,
  });
  host.onError((error) => errors.push(error));
  return {
    host,
    folder,
    errors,
    log,
    audit,
    call: (input = "ls", toolName = "bash") =>
      host.emitToolCall(
        {
          type: "tool_call",
          toolName,
          toolCallId: "call-1",
          input: typeof input === "string" ? { command: input } : input,
        },
        { canRun: () => true },
      ),
  };
}

/** The source of a pi hook whose `tool_call` handler has this body (`event`, `ctx`, `pi` in scope). */
export const onToolCall = (body: string, top = ""): string =>
  `${top}\nexport default function (pi: any) {\n  pi.on("tool_call", async (event: any, ctx: any) => {\n${body}\n  });\n}\n`;

/** The same for any event. */
export const on = (type: string, body: string, top = ""): string =>
  `${top}\nexport default function (pi: any) {\n  pi.on(${JSON.stringify(type)}, async (event: any, ctx: any) => {\n${body}\n  });\n}\n`;
