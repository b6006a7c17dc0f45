import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ownerName } from "./process-owner.ts";

/** Where Cordon looks at packages that nobody has accepted. */
export const quarantine = (home: string): string => join(home, "quarantine");

/** A folder of this process in quarantine; its parent may not be there yet. */
export const ownPlace = (home: string): string =>
  join(quarantine(home), `${ownerName()}.${randomBytes(8).toString("hex")}`);
