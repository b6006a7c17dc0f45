/** A cell that looks like a cursor, as pi 1.5 marks it: its terminal shows it in reverse, or its own cursor there. */
export const renderFakeCursor = (cell: string): string => `\u001b_pi:fc\u0007${cell}\u001b_pi:/fc\u0007`;
