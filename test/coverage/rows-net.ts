import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { agentEnd, bash, hears, type Row, session, turnEnd } from "./row.ts";
import { read, type World } from "./world.ts";

const here = (port: number): string => `127.0.0.1:${port}`;
const origin = ({ port }: World): string => `http://${here(port)}`;

/** Retries until the server listens: the hook opens its port at any time. */
async function post(world: World, body: string): Promise<void> {
  for (let left = 200; ; left--) {
    try {
      await fetch(origin(world), { method: "POST", body });
      return;
    } catch {
      // Without the power no server ever listens.
      if (left === 0) return;
      await new Promise((again) => setTimeout(again, 10));
    }
  }
}

/** Hooks that talk to other machines; here it is always this machine. */
export const NET_ROWS: readonly Row[] = [
  {
    hook: "webhook-notify",
    answers: { "/hook": { body: "ok" } },
    env: (world) => ({ PI_WEBHOOK_URL: `${origin(world)}/hook`, PI_WEBHOOK_SECRET: "s3cret" }),
    steps: [agentEnd()],
    effect: ({ requests }) => requests,
    works: [
      `POST /hook {"text":"work: done"} ${createHmac("sha256", "s3cret").update('{"text":"work: done"}').digest("hex")}`,
    ],
    least: ({ port }) => ({
      ...hears(["agent_end"]),
      env: ["PI_WEBHOOK_URL", "PI_WEBHOOK_SECRET"],
      net: { connect: [here(port)] },
    }),
  },
  {
    hook: "ci-listener",
    env: ({ port }) => ({ PI_CI_PORT: String(port) }),
    steps: [session("start"), (world) => post(world, "build 7 failed"), session("shutdown")],
    effect: ({ sent, shown }) => [sent, shown()],
    works: [["CI: build 7 failed"], [expect.stringMatching(/^notify: Listening on http:\/\/localhost:\d+$/)]],
    least: ({ port }) => ({
      ...hears(["session"]),
      env: ["PI_CI_PORT"],
      net: { listen: [here(port)] },
      send: {},
      ui: ["notify"],
    }),
  },
  {
    hook: "status-page",
    answers: { "/api/status.json": { body: '{ "indicator": "major" }' } },
    env: (world) => ({ PI_STATUS_URL: origin(world) }),
    steps: [bash("ls"), bash("npm run deploy")],
    effect: ({ results }) => results,
    works: [undefined, expect.objectContaining({ reason: "There is an incident: major" })],
    least: ({ port }) => ({
      ...hears(["tool_call"], { block: true }),
      env: ["PI_STATUS_URL"],
      net: { connect: [here(port)] },
    }),
  },
  {
    hook: "health-check",
    answers: { "/health": { status: 503, body: "" } },
    env: (world) => ({ PI_HEALTH_URL: `${origin(world)}/health` }),
    steps: [turnEnd(0), turnEnd(1)],
    effect: ({ sent }) => sent,
    works: [expect.stringMatching(/^The development server answers 503: /)],
    least: ({ port }) => ({ ...hears(["turn_end"]), env: ["PI_HEALTH_URL"], net: { connect: [here(port)] }, send: {} }),
  },
  {
    hook: "package-lookup",
    answers: {
      "/request/latest": { body: '{ "deprecated": "no longer maintained" }' },
      "/%40types%2Fnode/latest": { body: "{}" },
    },
    env: (world) => ({ PI_REGISTRY: origin(world) }),
    steps: [bash("npm install request"), bash("npm i @types/node")],
    effect: ({ results }) => results,
    works: [expect.objectContaining({ reason: "request is deprecated" }), undefined],
    least: ({ port }) => ({
      ...hears(["tool_call"], { block: true }),
      env: ["PI_REGISTRY"],
      net: { connect: [here(port)] },
    }),
  },
  {
    hook: "shared-rules",
    answers: { "/forbidden.json": { body: '["terraform destroy"]' } },
    env: (world) => ({ PI_RULES_URL: `${origin(world)}/` }),
    steps: [session("start"), bash("terraform destroy -auto-approve")],
    effect: ({ world, results }) => [results[1], read(world, "home/.cache/pi-shared-rules.json")],
    works: [expect.objectContaining({ reason: '"terraform destroy" is forbidden here' }), '["terraform destroy"]'],
    least: ({ port }) => ({
      ...hears(["session", "tool_call"], { block: true }),
      env: ["PI_RULES_URL"],
      net: { connect: [here(port)] },
      fs: { write: ["$HOME/.cache", "$HOME/.cache/pi-shared-rules.json"] },
    }),
  },
];
