/** Stands in for packages of which pi's pure parts use nothing. */
export {};
