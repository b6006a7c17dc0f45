import { expect, test } from "vitest";
import { blockOf, World } from "./world.ts";

const world = new World({
  slow: `export default (pi) => { pi.on("tool_call", async (event) => {
    await new Promise((done) => setTimeout(done, 3000));
    return { block: true, reason: "judged" };
  }); };`,
});

test("with more sessions at once than there may be, each call is judged: no session ends whose call is under way", async () => {
  // The daemon runs before: forty commands that each start one are not what is tried here.
  await world.bash("ls", "first");
  const sessions = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const ended = await Promise.all(sessions.map((session) => world.bash("ls", session)));
  expect(ended.map(blockOf)).toEqual(Array(40).fill(expect.stringMatching(/^Blocked by hook .*: judged$/)));
  expect((await world.status())?.sessions).toHaveLength(32);
});
