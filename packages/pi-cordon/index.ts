// In TypeScript, so that pi's jiti translates it: Node would take Cordon's entry for another one.
export { default } from "cordon/pi";
