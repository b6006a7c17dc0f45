import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../support/session.ts";
import { Scene } from "./scene.ts";
import type { SceneOptions } from "./world.ts";

/** An extension that runs these hooks through Cordon: each is a source, or a source with what it was granted. */
export function contained(hooks: Readonly<Record<string, string | { source: string; capabilities: object }>>): {
  extension: string;
  files: Record<string, string>;
} {
  const entries = Object.entries(hooks);
  const options = entries.map(([name, hook]) => ({
    path: `../hooks/${name}.ts`,
    id: name,
    ...(typeof hook === "string" ? {} : { grant: { capabilities: hook.capabilities } }),
  }));
  return {
    extension: `import { cordon } from "CORDON";
      export default cordon({ discover: false, hookTimeout: 3000, home: process.env.HOME + "/.cordon", hooks: ${JSON.stringify(options)} });`,
    files: Object.fromEntries(
      entries.map(([name, hook]) => [`hooks/${name}.ts`, typeof hook === "string" ? hook : hook.source]),
    ),
  };
}

/** Starts pi with hooks in Cordon. Ends with the test. `later`: an extension outside of Cordon that is loaded after it. */
export async function piWith(
  hooks: Parameters<typeof contained>[0],
  options: Omit<SceneOptions, "folder" | "extensions"> & { later?: string },
): Promise<Scene> {
  const { extension, files } = contained(hooks);
  const { later, ...rest } = options;
  const scene = await Scene.start({
    ...rest,
    folder: temporaryFolder(),
    files: { ...files, ...options.files },
    extensions: { cordon: extension, ...(later === undefined ? {} : { later }) },
  });
  onTestFinished(async () => {
    await scene.end();
  });
  return scene;
}
