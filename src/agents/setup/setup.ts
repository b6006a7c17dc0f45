/** Folders that an agent's settings lie in. */
export interface UserPlaces {
  /** The person's home. */
  user: string;
  /** Variables that move an agent's settings. */
  env: NodeJS.ProcessEnv;
}

/** The command of an entry for one event. */
export type CommandFor = (kind: "gate" | "note", event: string, waitMs: number) => string;

/** A list in a JSON file, and what is put before all else in it. */
export interface JsonEntry {
  path: readonly string[];
  value: unknown;
  /** It is no list: the value itself stands there. */
  isValue?: true;
  /** Only if the list has others in it. */
  onlyBeside?: true;
}

/** What a setup writes: entries into lists of a JSON file of the agent's, or a whole file of its own. */
export type Change =
  | { kind: "entries"; file: string; entries: readonly JsonEntry[]; base?: Readonly<Record<string, unknown>> }
  | { kind: "file"; file: string; content: string; mode: number };

/** What an agent loads into its own process. It lies in Cordon's home, for good. */
export interface Plugin {
  /** Where it lies. Entries that name this folder are Cordon's. */
  folder(home: string): string;
  /** The file that is loaded. */
  loaded(home: string): string;
  /** Its files, by path. `node`, `start`: absolute real paths of what runs the daemon. */
  files(home: string, node: string, start: string): Readonly<Record<string, string>>;
  /** The agent runs calls unjudged when it is gone. */
  readonly isOpenWithout: boolean;
  /**
   * What Node is run with to try it: it puts a call that nobody can judge, and ends as a command of an agent, or prints the plugin's
   * own block.
   */
  probe(places: UserPlaces, home: string): string[];
}

/** How an agent came to code of others: an item of a list in its settings, or a file that it looks for. */
export type Entry =
  | { kind: "item"; file: string; list: string; at: number; value: unknown }
  | { kind: "file"; file: string };

/** Code of others that an agent runs with all its rights. */
export interface ThirdParty {
  /** As the agent's settings have it. Texts of others, of any length. */
  name: string;
  /** The file that it is entered in, or that it is. */
  where: string;
  /** Its code on this disk, and how it can be taken out of the agent. */
  code?: { path: string; entry: Entry };
  /** Why Cordon cannot contain it, as far as that shows without building it. */
  why?: string;
}

/** How Cordon is entered in one agent's settings. */
export interface Setup {
  /** As in `cordon install NAME`. */
  readonly name: string;
  readonly title: string;
  /** The program that a person starts. */
  readonly program: string;
  /** The oldest version that it can be entered in, and what an older one lacks. */
  readonly since?: { version: string; lacks: string };
  /** The first version that it cannot be entered in any more, where another setup takes its place: the one of that name. */
  readonly until?: { version: string; use: string };
  /** The folder that shows that the agent was used here. */
  folder(places: UserPlaces): string;
  /** It has a plugin, and runs no commands. */
  readonly plugin?: Plugin;
  /** The change of the person's own settings. */
  user(places: UserPlaces, command: CommandFor, home: string): Change[];
  /** That of one project, in a file that is not shared with others. */
  project?(folder: string, command: CommandFor): Change[];
  /** What else in these settings keeps Cordon from being asked, if so. */
  fault?(settings: Record<string, unknown>): string | undefined;
  /** The command that takes Cordon out of it, if it has Cordon as one of its own packages. It needs no entry then. */
  ownPackage?(places: UserPlaces): string | undefined;
  /** Why its calls are open, if its settings, those of the machine or those of one of these projects say so. */
  openIn?(folders: readonly string[], places: UserPlaces): string | undefined;
  /**
   * What Node is run with to try an entry that asks no daemon: it loads that as the agent does, has it judge a call, and ends with 0
   * and prints nothing if calls are judged, or prints why each is blocked. It fails where none would be judged.
   */
  loads?(places: UserPlaces): string[];
  /** What it runs of others, where that is not commands. */
  thirdParty?(places: UserPlaces): ThirdParty[];
  /** What the person must have done for calls to be judged, where no file says whether they have. */
  readonly unseen?: string;
  /** What is left for the person to do. */
  readonly left?: readonly string[];
}

/** Seconds that agents wait for an entry: longer than hooks may take, and a person may be asked meanwhile. */
export const WAIT_S = 300;
export const WAIT_MS = WAIT_S * 1000;

/** Events that tell: agents wait for these, too, so they are quick. */
export const NOTE_S = 30;
