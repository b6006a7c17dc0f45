/** The streams of the web's standard in JavaScript. */
export * from "web-streams-polyfill/ponyfill/es2018";
