/** Styles for a terminal with 256 colours: a hook has none, and cannot ask what the agent's can show. */
import { Chalk } from "chalk";

export default new Chalk({ level: 2 });
