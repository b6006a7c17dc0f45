/** What an agent of the hook's own is told besides its prompts. It has no extensions, and no files that the hook may not read. */
import { loadSkills } from "@earendil-works/pi-coding-agent/dist/core/skills.js";
import { readFileSync } from "../../node/fs.ts";
import { notOffered } from "../../node/host.ts";

interface LoadedSkills {
  skills: { name: string; description: string; filePath: string; disableModelInvocation?: boolean }[];
  diagnostics: unknown[];
}

interface Files {
  agentsFiles: { path: string; content: string }[];
}

interface Options {
  cwd?: string;
  agentDir?: string;
  additionalExtensionPaths?: unknown[];
  additionalSkillPaths?: string[];
  extensionFactories?: unknown[];
  noSkills?: boolean;
  noContextFiles?: boolean;
  systemPrompt?: string;
  appendSystemPrompt?: string[] | string;
  skillsOverride?(base: LoadedSkills): LoadedSkills;
  agentsFilesOverride?(base: Files): Files;
  systemPromptOverride?(base: string | undefined): string | undefined;
  appendSystemPromptOverride?(base: string[]): string[];
}

/** Stands for what pi's loaders share with its runtime of extensions. A hook has no such runtime. */
export const createExtensionRuntime = (): object => ({ flagValues: new Map(), pendingProviderRegistrations: [] });

/** Only what an agent is told: the session's own instructions, unless the hook gives others. */
export class DefaultResourceLoader {
  readonly #options: Options;
  #systemPrompt: string | undefined;
  #append: string[] | undefined;
  #files: Files | undefined;
  #skills: LoadedSkills = { skills: [], diagnostics: [] };

  constructor(options: Options = {}) {
    for (const name of ["extensionFactories", "additionalExtensionPaths"] as const)
      if ((options[name]?.length ?? 0) > 0)
        notOffered("DefaultResourceLoader", name, "an agent of a contained hook runs no extensions")();
    this.#options = options;
  }

  async reload(): Promise<void> {
    const options = this.#options;
    const base = textOf(options.systemPrompt);
    this.#systemPrompt = options.systemPromptOverride ? options.systemPromptOverride(base) : base;
    const given = options.appendSystemPrompt;
    const more = given === undefined ? undefined : [given].flat().map((text) => textOf(text) ?? "");
    this.#append = options.appendSystemPromptOverride ? options.appendSystemPromptOverride(more ?? []) : more;
    if (options.agentsFilesOverride) this.#files = options.agentsFilesOverride({ agentsFiles: [] });
    else this.#files = options.noContextFiles ? { agentsFiles: [] } : undefined;
    const paths = options.noSkills ? [] : (options.additionalSkillPaths ?? []);
    const { cwd = "", agentDir = "" } = options;
    if (paths.length > 0) this.#skills = loadSkills({ cwd, agentDir, skillPaths: paths, includeDefaults: false });
    if (options.skillsOverride) this.#skills = options.skillsOverride(this.#skills);
  }

  getExtensions(): object {
    return { extensions: [], errors: [], runtime: createExtensionRuntime() };
  }
  getSkills(): LoadedSkills {
    return this.#skills;
  }
  getPrompts(): object {
    return { prompts: [], diagnostics: [] };
  }
  getThemes(): object {
    return { themes: [], diagnostics: [] };
  }
  /** Undefined files are those of the session. */
  getAgentsFiles(): Partial<Files> {
    return this.#files ?? {};
  }
  getSystemPrompt(): string | undefined {
    return this.#systemPrompt;
  }
  /** Undefined is what the session has. */
  getAppendSystemPrompt(): string[] | undefined {
    return this.#append;
  }
  extendResources(): void {}
}

/** A prompt, or the file that has it: pi takes both. */
const textOf = (given: string | undefined): string | undefined =>
  given !== undefined && /^[^\n]{1,4096}\.(md|txt)$/.test(given) ? String(readFileSync(given, "utf8")) : given;
