/** A key that is ignored beside a decision: the decision may not be what its author meant. */
const IGNORED_KEY = /^a (?:before_)?tool_call handler returned an unknown key /;
/** A dialog whose answer nobody waits for: the call passes, whatever the person says. */
const NOT_AWAITED = /^a tool_call handler ended before its dialog was answered/;

/** Whether a hook's log tells of a call that it judged otherwise than its author may think. A hook can write such a line itself. */
export const isMistake = (text: string): boolean => IGNORED_KEY.test(text) || isNotAwaited(text);

export const isNotAwaited = (text: string): boolean => NOT_AWAITED.test(text);
