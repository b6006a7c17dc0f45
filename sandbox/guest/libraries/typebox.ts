/** The main part of TypeBox. */
export * from "typebox";
export { default } from "typebox";
