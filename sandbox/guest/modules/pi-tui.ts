/** `@mariozechner/pi-tui` draws on the agent's terminal, which a sandbox has not: only its types can be imported. */
export {};
