import { MAX_BUS_MESSAGE } from "../../sandbox/wire/operations.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { BusMessage } from "./channels.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const grant = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  description: "Channels on which it and other hooks that have them hear each other, by name.",
});
type Grant = string[];

/** The channels on which a hook and the other hooks that have them hear each other, by name: there is no wildcard. */
export const busPower: Power<typeof grant> = { schema: grant, ...names<string>() };

const onChannel = {
  describe: ({ channel }: { channel: string }) => quoted(channel),
  propose: ({ channel }: { channel: string }) => [channel],
};

const isGranted = (granted: Grant | undefined, channel: string): boolean => granted?.includes(channel) === true;

const listen: Capability<"bus.listen", Grant, { channel: string }> = {
  ...onChannel,
  read: ([channel]) => ({ channel }),
  check: (asked, granted) => (isGranted(granted, asked.channel) ? asked : undefined),
  async perform({ checked: { channel } }, { hook, session, last }) {
    const over = session.channels.listen(channel, hook.id);
    last(() => over.abort(), over.signal);
    return null;
  },
  perMinute: () => 100,
};

const emit: Capability<"bus.emit", Grant, BusMessage> = {
  ...onChannel,
  read([channel, data]) {
    // Another realm reads it: plain JSON without keys that would reach a prototype.
    const plain = toPlain(data);
    if ((JSON.stringify(plain) ?? "").length > MAX_BUS_MESSAGE)
      throw new Error("a message of the bus that is too long");
    return { channel, data: plain };
  },
  check: (asked, granted) => (isGranted(granted, asked.channel) ? asked : undefined),
  async perform({ checked }, { hook, session }) {
    session.channels.emit(hook.id, checked);
    return null;
  },
  perMinute: () => 600,
};

export const bus = { ...sealed("bus.listen", listen), ...sealed("bus.emit", emit) };
