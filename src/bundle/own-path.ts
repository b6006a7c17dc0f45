import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { type Loader, transform } from "esbuild";

/** A file of a hook, for esbuild. */
interface OwnFile {
  readonly contents: string;
  readonly loader: Loader;
}

/** Gives a file that asks where it stands its own `__dirname`, `__filename` and `import.meta`. `createRequire` takes them. */
export async function withOwnPath(contents: string, loader: Loader, path: string): Promise<OwnFile> {
  if (!/__dirname|__filename|import\s*\.\s*meta|createRequire/.test(contents)) return { contents, loader };
  const url = JSON.stringify(pathToFileURL(path).href);
  const folder = JSON.stringify(dirname(path));
  const file = JSON.stringify(path);
  try {
    const { code } = await transform(contents, {
      loader,
      target: "es2024",
      sourcemap: "inline",
      sourcesContent: false,
      // esbuild writes it into the map as it is, and reads a URL there.
      sourcefile: path.replaceAll("%", "%25"),
      tsconfigRaw: "{}",
      define: {
        __dirname: folder,
        __filename: file,
        "import.meta.url": url,
        "import.meta.dirname": folder,
        "import.meta.filename": file,
      },
    });
    return { contents: code, loader: "js" };
  } catch {
    // The build itself will say what is wrong, and where.
    return { contents, loader };
  }
}
