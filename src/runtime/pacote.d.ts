declare module "pacote" {
  const pacote: {
    /** Unpacks a package into a folder, after its integrity was verified. */
    extract(
      spec: string,
      folder: string,
      options: { integrity: string; ignoreScripts: true; cache: string },
    ): Promise<unknown>;
  };
  export default pacote;
}
