import type { constants as Constants } from "node:sqlite";

/** Pragmas that tell of the database, or change how this connection works on its own file. */
const PRAGMAS = new Set(
  `analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill case_sensitive_like
  cell_size_check checkpoint_fullfsync collation_list compile_options count_changes data_version database_list
  defer_foreign_keys encoding foreign_key_check foreign_key_list foreign_keys freelist_count full_column_names fullfsync
  function_list ignore_check_constraints incremental_vacuum index_info index_list index_xinfo integrity_check journal_mode
  journal_size_limit legacy_alter_table locking_mode mmap_size module_list optimize page_count page_size pragma_list
  query_only quick_check read_uncommitted recursive_triggers reverse_unordered_selects secure_delete short_column_names
  synchronous table_info table_list table_xinfo user_version wal_autocheckpoint wal_checkpoint`.split(/\s+/),
);

/** Pragmas that may be read, and not changed. */
const READ_ONLY = new Set("hard_heap_limit max_page_count schema_version soft_heap_limit trusted_schema".split(" "));

/** Kinds of virtual tables that lie in the database itself. */
const MODULES = new Set("fts3 fts4 fts4aux fts5 fts5vocab rtree rtree_i32 geopoly".split(" "));

/** Functions that load code, or hand out addresses. */
const FUNCTIONS = new Set(["load_extension", "fts3_tokenizer"]);

/** Why a statement must not be prepared; `undefined` if it may. Its arguments are those of SQLite's authorizer. */
export function refusalOf(
  constants: typeof Constants,
  action: number,
  first: string | null,
  second: string | null,
): string | undefined {
  switch (action) {
    // VACUUM attaches a database in memory, whose name is empty.
    case constants.SQLITE_ATTACH:
      return first === "" ? undefined : "ATTACH and VACUUM INTO reach other files, and are not offered to hooks";
    case constants.SQLITE_DETACH:
      return "DETACH is not offered to hooks";
    case constants.SQLITE_PRAGMA:
      return isPragma((first ?? "").toLowerCase(), second)
        ? undefined
        : `PRAGMA ${first}${second === null ? "" : " with that value"} is not offered to hooks`;
    case constants.SQLITE_CREATE_VTABLE:
      return MODULES.has((second ?? "").toLowerCase())
        ? undefined
        : `virtual tables of ${second} are not offered to hooks`;
    case constants.SQLITE_FUNCTION:
      return FUNCTIONS.has((second ?? "").toLowerCase()) ? `the function ${second} is not offered to hooks` : undefined;
    default:
      return undefined;
  }
}

function isPragma(name: string, value: string | null): boolean {
  if (PRAGMAS.has(name)) return true;
  // Temporary tables stay in memory, where they are.
  if (name === "temp_store") return value === null || /^(memory|2)$/i.test(value);
  return READ_ONLY.has(name) && value === null;
}
