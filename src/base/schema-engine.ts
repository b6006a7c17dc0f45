/** What checks values against JSON Schemas: built as a file of its own, which is loaded when the first value is checked. */
export { Compile } from "typebox/schema";
export { Settings } from "typebox/system";
