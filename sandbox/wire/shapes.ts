/** The shapes of the JSON values on the wire, as plain data that the host and the build make checks of. */

/** The shape of a JSON value. All limits are inclusive. */
export type Shape<Value = unknown> = Kind & {
  /** Never there: the type of the values. */
  readonly is?: Value;
};

type Kind =
  /** `least` and `most`: characters. */
  | { readonly kind: "text"; readonly least: number; readonly most: number }
  | { readonly kind: "number"; readonly least: number | undefined }
  | { readonly kind: "integer"; readonly least: number; readonly most: number }
  | { readonly kind: "flag" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "list"; readonly of: Shape; readonly most: number }
  | { readonly kind: "tuple"; readonly of: readonly Shape[] }
  /** `open`: may have other members, too. */
  | { readonly kind: "object"; readonly members: Members; readonly optional: Members; readonly open: boolean }
  | { readonly kind: "anything" };

type Members = Readonly<Record<string, Shape>>;
type ValueOf<Of> = Of extends Shape<infer Value> ? Value : never;
export type ValuesOf<Parts> = { readonly [At in keyof Parts]: ValueOf<Parts[At]> };

export const text = (most: number, least = 0): Shape<string> => ({ kind: "text", least, most });
export const number = (least?: number): Shape<number> => ({ kind: "number", least });
export const integer = (least: number, most: number): Shape<number> => ({ kind: "integer", least, most });
export const flag: Shape<boolean> = { kind: "flag" };
export const choice = <const Of extends string>(...of: readonly Of[]): Shape<Of> => ({ kind: "choice", of });
export const list = <Value>(of: Shape<Value>, most: number): Shape<readonly Value[]> => ({ kind: "list", of, most });
export const tuple = <const Of extends readonly Shape[]>(...of: Of): Shape<ValuesOf<Of>> => ({ kind: "tuple", of });
export const anything: Shape = { kind: "anything" };

type ObjectOf<Needed, Optional> = ValuesOf<Needed> & { readonly [Name in keyof Optional]?: ValueOf<Optional[Name]> };
export const object = <const Needed extends Members, const Optional extends Members>(
  members: Needed,
  optional: Optional,
  open = false,
): Shape<ObjectOf<Needed, Optional>> => ({ kind: "object", members, optional, open });
export const openObject = <const Needed extends Members, const Optional extends Members>(
  members: Needed,
  optional: Optional,
) => object(members, optional, true);
