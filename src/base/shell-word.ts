/** A text as one word for a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same, in quotation marks only where a shell would read it as more than a word. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./#-]+$/.test(text) ? text : shellQuoted(text));
