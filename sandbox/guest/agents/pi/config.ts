/** What pi's modules know of the agent: names, and the folders of the user's own files. A hook needs grants to use these. */
import { NOWHERE } from "../../../wire/messages.ts";
import { host } from "../../node/host.ts";

export const APP_NAME = "pi";
export const CONFIG_DIR_NAME = ".pi";

/** The version of pi whose extension API this one follows. */
export const VERSION = "1.5.2";

/** The agent's folder with the user's files. */
export const getAgentDir = (): string => `${host.machine.home}/.pi/agent`;
export const getBinDir = (): string => `${getAgentDir()}/bin`;
export const getSessionsDir = (): string => `${getAgentDir()}/sessions`;
export const getCustomThemesDir = (): string => `${getAgentDir()}/themes`;

/** pi's own files are not there for hooks: nothing lies in these folders. */
export const getReadmePath = (): string => `${NOWHERE}/README.md`;
export const getThemesDir = (): string => `${NOWHERE}/themes`;
