/** AES in JavaScript, for `crypto.subtle`: making its tables takes tens of ms. */
export { Gcm } from "../node/crypto-gcm.ts";
export { Cbc, Ctr } from "../node/crypto-modes.ts";
