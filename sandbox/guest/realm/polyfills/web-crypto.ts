export { CryptoKey } from "../../web-crypto/crypto-key.ts";
export { SubtleCrypto, subtle } from "../../web-crypto/subtle.ts";
