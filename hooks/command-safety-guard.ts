/** Blocks shell commands that destroy files, disks or accounts, or run what they download. */
export { commandSafetyGuard as default } from "cordon/interceptors";
