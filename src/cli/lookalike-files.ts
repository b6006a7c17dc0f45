import { shownName } from "../base/text.ts";
import { lookalikeFiles } from "../host/discover.ts";

/** Most files of a folder that are named. */
const MOST_NAMED = 5;

/** What says of files in Cordon's folders that they are no hooks, by folder. */
export const lookalikeTexts = (cwd: string, home: string): [folder: string, text: string][] =>
  [...lookalikeFiles(cwd, home)].map(([folder, files]) => {
    const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : "";
    const named = files
      .slice(0, MOST_NAMED)
      .map((name) => shownName(name))
      .join(", ");
    return [folder, `no hook, and not run for itself: ${named}${more}; only files called NAME.ts there are hooks`];
  });
