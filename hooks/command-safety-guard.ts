/** Blocks shell commands that destroy files, disks or accounts, or that run downloads. */
export { commandSafetyGuard as default } from "cordon/interceptors";
