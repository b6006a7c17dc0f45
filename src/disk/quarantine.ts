import { join } from "node:path";
import { inHome } from "./home.ts";
import { uniqueName } from "./process-owner.ts";

/** The folder for packages that nobody has accepted yet. */
export const quarantine = (home: string): string => inHome(home, "quarantine");

/** A new folder of this process in quarantine. It is not created, and nor is its parent. */
export const quarantineFolder = (home: string): string => join(quarantine(home), uniqueName(8));
