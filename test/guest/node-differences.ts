/**
 * Corner cases in which the modules for hooks differ from Node only because no hook needed them yet, by the name of
 * the question. Tests check that each still differs.
 */
export const DIFFERENT: ReadonlySet<string> = new Set([
  "a buffer is shown by its bytes",
  "a callback that is none",
  "a program is killed by the signal that is named",
  "a program that has ended cannot be killed",
  "a program that must not be run is EACCES",
  "a program that takes too long is ETIMEDOUT where it is waited for",
  "a random number for a callback",
  "a timer that has fired is started anew by refresh",
  "a timer that is used is cleared at the end of its block",
  "a variable that is defined",
  "an HMAC with an unknown algorithm",
  "an interval goes on while its consumer is busy",
  "arguments of the wrong type",
  "arguments of the wrong type for random bytes",
  "bounds of the wrong type",
  "bytes that are no text come through",
  "callbacks that are none are ERR_INVALID_ARG_TYPE",
  "every signal has its name",
  "exit codes above 128 are exit codes",
  "hash takes its encoding among options",
  "no encoding is no encoding",
  "options of the wrong type are ERR_INVALID_ARG_TYPE",
  "text is not compared in constant time",
  "the name of an algorithm is a text",
  "the places as text",
  "this is the timer in its callback",
]);
