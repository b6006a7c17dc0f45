/** Published packages for pi, unchanged: the parts that run here, and their limits. */

import type { Capabilities } from "../../src/grants/schema.ts";

interface Case {
  /** The behaviour that it shows. */
  name: string;
  /** By the hook's id; other hooks have no powers. */
  grants?: Record<string, Capabilities>;
  /** By hand: the narrowest grant with which the one hook of `grants` decides so. What is proposed for it is compared with that. */
  least?: Capabilities;
  /** Files of the project that the agent works in. */
  files?: Record<string, string>;
  /** Each event with its outcome: nothing, a block with this reason, or only an error with this text. */
  events: [event: object, expected: "nothing" | { blocked: RegExp } | { error: RegExp }][];
}

interface RealHook {
  /** As in the lock. */
  id: string;
  /** Without powers, if it does not load so. */
  state?: "failed";
  hears: string[];
  /** Parts of pi's extension API that it uses and that Cordon does not offer. */
  leftOut: string[];
}

export interface RealPackage {
  name: string;
  version: string;
  /** The hash of its tarball. */
  integrity: string;
  /** Why it is refused. */
  refused?: RegExp;
  hooks?: RealHook[];
  cases?: Case[];
}

const call = (toolName: string, input: object): object => ({ type: "tool_call", toolName, toolCallId: "1", input });
const bash = (command: string): object => call("bash", { command });
const session = (reason: string): object => ({
  type: "session",
  reason,
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
});

const PROCESSES = "@aliou/pi-processes#extensions/processes/index.ts";

export const REAL_PACKAGES: RealPackage[] = [
  {
    name: "cc-safety-net",
    version: "2.4.5",
    integrity: "sha512-NxVJYOyXsqI6+xX18nk5AiHilhgIR3thwBgDzXeEHuxKPrUhutD40tOGX3kgYDyqBwHPASyn7UOm05pAzhTsPw==",
    hooks: [{ id: "cc-safety-net", hears: ["tool_call"], leftOut: [] }],
    cases: [
      {
        name: "without powers it blocks every call, as it does when it cannot read the project",
        events: [[bash("ls -la"), { blocked: /failed closed because command analysis failed/ }]],
      },
      {
        name: "with the project and its own settings readable it judges",
        grants: {
          "cc-safety-net": {
            events: { see: ["tool_call"], block: true },
            env: ["HOME"],
            fs: { read: ["$CWD/**", "$HOME/.cc-safety-net/**"] },
          },
        },
        least: { events: { see: ["tool_call"], block: true }, fs: { read: ["$CWD/**"] } },
        files: { ".git/HEAD": "ref: refs/heads/main\n", "README.md": "# A project\n" },
        events: [
          // It passes, and the machine's root stays closed to it.
          [bash("ls -la"), { error: /was not granted fs: realpath \// }],
          [bash("rm -rf /"), { blocked: /BLOCKED by CC Safety Net.*Command: rm -rf \//s }],
          [bash("git reset --hard"), { blocked: /destroys all uncommitted changes/ }],
          [call("read", { path: ".env" }), { blocked: /sensitive path.*secret\.basename\.env/s }],
          [call("read", { path: "README.md" }), "nothing"],
        ],
      },
    ],
  },
  {
    name: "@aliou/pi-processes",
    version: "0.12.0",
    integrity: "sha512-Xf/lWTQ15M0ZJKjZrbmuhWHnJtSD5h9lQKVNJpwqy4njZhlqRwMLyJ55j16tOUDEujbTPPmZpBecBJPuQJ9R9Q==",
    hooks: [
      {
        id: "@aliou/pi-processes#extensions/processes-dock/index.ts",
        hears: ["session"],
        leftOut: [],
      },
      {
        id: "@aliou/pi-processes#extensions/processes-logs/index.ts",
        hears: ["session"],
        leftOut: [],
      },
      {
        id: PROCESSES,
        hears: ["session", "tool_call"],
        leftOut: [],
      },
    ],
    cases: [
      {
        name: "without powers it cannot read its settings, and its blocker is off, as by its author's default",
        files: { ".pi/extensions/processes.json": '{"interception":{"blockBackgroundCommands":true}}' },
        events: [[bash("npm run dev &"), "nothing"]],
      },
      {
        name: "with its settings readable it blocks commands that would run in the background",
        grants: {
          [PROCESSES]: {
            events: { see: ["session", "tool_call"], block: true },
            fs: { read: ["$CWD/**", "$HOME/.pi/agent/extensions/*.json"] },
          },
        },
        least: {
          events: { see: ["tool_call"], block: true },
          fs: { read: ["$CWD/.pi", "$CWD/.pi/extensions/processes.json"] },
        },
        files: { ".pi/extensions/processes.json": '{"interception":{"blockBackgroundCommands":true}}' },
        events: [
          [
            bash("npm run dev &"),
            { blocked: /Shell background patterns \(&, nohup, disown, setsid\) are not allowed/ },
          ],
          [bash("nohup sleep 100"), { blocked: /Shell background patterns/ }],
          [bash("npm test && npm run lint"), "nothing"],
        ],
      },
    ],
  },
  {
    name: "pi-prompt-template-model",
    version: "0.12.2",
    integrity: "sha512-Bnraah6G1igspWPV00J54NPzBAnlGXAT48i5vvfjeBqJwnMzK64/JDpMvksfhg1Vb96lcW/0MJYUii6hqeUi7w==",
    hooks: [
      {
        id: "pi-prompt-template-model",
        hears: ["session", "model_select", "before_agent_start", "agent_end", "session_before_tree"],
        leftOut: [],
      },
    ],
    cases: [
      {
        name: "without powers its session handler is refused the agent's settings",
        events: [
          [session("start"), { error: /was not granted fs: stat .*settings\.json/ }],
          [{ type: "agent_end", messages: [] }, "nothing"],
        ],
      },
      {
        name: "with the settings readable it hears a session start and end",
        grants: {
          "pi-prompt-template-model": {
            events: { see: ["session", "agent_end"] },
            env: ["__MINIMATCH_TESTING_PLATFORM__"],
            fs: { read: ["$CWD/**", "$HOME/.pi/**"] },
          },
        },
        least: {
          events: { see: ["session", "agent_end"] },
          fs: { read: ["$HOME/.pi/agent/settings.json", "$HOME/.pi/agent/prompts"] },
        },
        events: [
          [session("start"), "nothing"],
          [session("shutdown"), "nothing"],
        ],
      },
    ],
  },
  {
    name: "pi-autoresearch",
    version: "1.6.0",
    integrity: "sha512-zbz/udoHALgG/JZ6mDnKV5AiHINOywMDOMgkf4GqyNPwDD1Nl0qehw8JbOTPzYJVi5jb9lVH5qA0E+K81fJLDA==",
    hooks: [
      {
        id: "pi-autoresearch",
        hears: ["session", "session_tree", "agent_start", "agent_end", "before_agent_start"],
        leftOut: [],
      },
    ],
    cases: [
      {
        name: "without powers it is refused its own log",
        events: [
          [session("start"), { error: /was not granted fs: stat .*\.auto\/log\.jsonl/ }],
          [{ type: "agent_start" }, "nothing"],
        ],
      },
      {
        name: "with its log readable it requests the session's branch, which is not offered",
        grants: {
          "pi-autoresearch": {
            events: { see: ["session", "agent_start", "agent_end"] },
            fs: { read: ["$CWD/**", "$HOME/.pi/agent/extensions/pi-autoresearch.json"] },
          },
        },
        events: [[session("start"), { error: /was not granted session: branch/ }]],
      },
    ],
  },
  {
    name: "@juicesharp/rpiv-todo",
    version: "2.11.0",
    integrity: "sha512-MNWG3xRMKrA4qgL3O1F4WiuY9+3NAWem+5Ac0NDHqYTGjikGRf6b4SdL9bw+RdEOEj2BUaKFSeTbP8vLZw5CDQ==",
    hooks: [
      {
        id: "@juicesharp/rpiv-todo",
        hears: ["session", "session_tree", "tool_execution_end", "agent_start"],
        leftOut: [],
      },
    ],
    cases: [
      {
        name: "its list is read from the session's branch",
        events: [
          [session("start"), { error: /was not granted session: branch/ }],
          [{ type: "agent_start" }, "nothing"],
        ],
      },
    ],
  },
  {
    name: "pi-system-theme",
    version: "0.5.0",
    integrity: "sha512-wYnr0aQGnJlHGfB57/RJR3aXPSBkSvatTTqY9cWnhBy0FudpqR1lWVoXN15CbiYAFw4P6/BuAaaP29lBLIxepQ==",
    hooks: [{ id: "pi-system-theme", hears: ["session"], leftOut: [] }],
    cases: [
      {
        name: "without powers it uses its defaults",
        events: [[session("start"), { error: /was not granted fs: read .*system-theme\.json/ }]],
      },
      {
        name: "with its settings to read it finds that there are no themes here, and rests",
        grants: {
          "pi-system-theme": {
            events: { see: ["session"] },
            fs: { read: ["$HOME/.pi/agent/system-theme.json"] },
          },
        },
        least: { events: { see: ["session"] }, fs: { read: ["$HOME/.pi/agent/system-theme.json"] } },
        events: [
          [session("start"), "nothing"],
          [session("shutdown"), "nothing"],
        ],
      },
    ],
  },
  {
    name: "pi-sync-system-theme",
    version: "0.2.5",
    integrity: "sha512-E2EQWtSPjMNbgDRVCLk6Hi0stTAhzz2/74vNe6mn5D6qauqgq/LrPdOAfJmLvhYHoRyY+iajr6cF3qfUWYxh4A==",
    hooks: [
      {
        id: "pi-sync-system-theme",
        hears: ["session", "session_switch"],
        leftOut: [],
      },
    ],
    cases: [
      {
        name: "with its settings to read it finds that there are no themes here, and rests",
        grants: {
          "pi-sync-system-theme": {
            events: { see: ["session"] },
            env: ["PI_SYSTEM_THEME_OVERRIDE_FILE", "PI_SYSTEM_THEME_OVERRIDE_MAX_AGE_MS"],
            fs: { read: ["$HOME/.pi/agent/system-theme.json"] },
          },
        },
        least: {
          events: { see: ["session"] },
          env: ["PI_SYSTEM_THEME_OVERRIDE_FILE", "PI_SYSTEM_THEME_OVERRIDE_MAX_AGE_MS"],
          fs: { read: ["$HOME/.pi/agent/system-theme.json"] },
        },
        events: [[session("start"), "nothing"]],
      },
    ],
  },
  {
    name: "pi-aliases",
    version: "1.0.7",
    integrity: "sha512-gtFTgtJve6n48Iyw/cyn48kneEwhK0kToNUdc5eBnMVaoJH3ZiHNX5SBOcokwEMfLyaDjMy2KMxfPfA3W0Sprw==",
    hooks: [{ id: "pi-aliases", hears: [], leftOut: [] }],
    cases: [{ name: "no part of it is a hook, and it blocks nothing", events: [[bash("rm -rf /"), "nothing"]] }],
  },
  {
    name: "@gotgenes/pi-permission-system",
    version: "20.7.3",
    integrity: "sha512-zlcEFUUH31laLNTMrEVMhg6wfIEMKE42RWSTBInRh8V/W79SmvIg+TYY/YJm/Whc+KIpHpu8GS6qxSZs977p1g==",
    hooks: [{ id: "@gotgenes/pi-permission-system", state: "failed", hears: [], leftOut: [] }],
  },
  {
    name: "pi-lens",
    version: "3.8.73",
    integrity: "sha512-WvmJG60D/plF30kiqWqEu6merKLR85U2au4zizjA6Qg054t/6zvoAjCa8QhcHzN38XZiGcmx3LvlbKibG4fvxQ==",
    hooks: [
      {
        id: "pi-lens",
        hears: [
          "resources_discover",
          "session",
          "tool_call",
          "tool_result",
          "turn_start",
          "agent_end",
          "turn_end",
          "agent_settled",
          "context",
        ],
        leftOut: [],
      },
    ],
  },
  {
    name: "context-mode",
    version: "1.0.169",
    integrity: "sha512-94JIaFuLjF9SO2BsGTrbGtyT44K95+9OC8BdbaL/UT76xOkanJLfUR5CzmNw+GELXZQqH4nBrKg9wjBnSFkVnQ==",
    hooks: [{ id: "context-mode", state: "failed", hears: [], leftOut: [] }],
    cases: [
      {
        name: "without the folder of its store it does not load",
        events: [[bash("ls"), { blocked: /was not granted fs: mkdir .*context-mode\/sessions.*LOAD_FAILED/ }]],
      },
    ],
  },
  {
    name: "pi-mcp-adapter",
    version: "2.36.0",
    integrity: "sha512-aX7Hf1FMGoHFjjx2Y4t12Hkue83CiBQmZaeQQ0mg+2wxOzbIOYdWzEkh1bmKlLHKiH6zRWlxWitsr+RaiXvoRQ==",
    refused: /the package is refused: larger than 20 MB \(in its dependency \S+ \S+\)/,
  },
  {
    name: "pi-mermaid",
    version: "0.3.0",
    integrity: "sha512-U6sCqyb/dx6HL5bLu8jFwrHbCpXidjW+DuVaiBxlSIY4zy8lyotRCYSzL+z9ftcltRfFyAtvaeKTLdGH18KG7g==",
    refused: /the package is refused: more than 50 MB unpacked \(in its dependency mermaid@\S+\)/,
  },
  {
    name: "@agentuity/pi",
    version: "2.0.21",
    integrity: "sha512-MH+Vt2zPse6F+NJAhhu2yLrm+Fg6S1iURleTsa3PYIChHDB3tg6XCj3JjTyFgYlsx3wAK/Fck7Os7DUXm1zITg==",
    refused: /names no hooks: its package\.json has no "cordon": \{"hooks": \[\.\.\.\]\}/,
  },
];
