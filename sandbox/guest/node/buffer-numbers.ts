import { checkNumber, checkPlace, checkSize, checkValue } from "./buffer-checks.ts";
import { wrongType } from "./fault.ts";

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

type Method = (this: Uint8Array, ...args: never[]) => unknown;

interface Kind {
  /** As the methods of `DataView` name it. */
  name: "Uint8" | "Int8" | "Uint16" | "Int16" | "Uint32" | "Int32" | "Float32" | "Float64" | "BigUint64" | "BigInt64";
  /** As Node's methods name it, if otherwise. Unsigned ones have two names. */
  names: readonly string[];
  bytes: number;
  /** The least and the greatest, if others do not fit. */
  limits?: readonly [number, number] | readonly [bigint, bigint];
}

const KINDS: readonly Kind[] = [
  { name: "Uint8", names: ["UInt8", "Uint8"], bytes: 1, limits: [0, 0xff] },
  { name: "Int8", names: ["Int8"], bytes: 1, limits: [-0x80, 0x7f] },
  { name: "Uint16", names: ["UInt16", "Uint16"], bytes: 2, limits: [0, 0xffff] },
  { name: "Int16", names: ["Int16"], bytes: 2, limits: [-0x8000, 0x7fff] },
  { name: "Uint32", names: ["UInt32", "Uint32"], bytes: 4, limits: [0, 0xffffffff] },
  { name: "Int32", names: ["Int32"], bytes: 4, limits: [-0x80000000, 0x7fffffff] },
  { name: "Float32", names: ["Float"], bytes: 4 },
  { name: "Float64", names: ["Double"], bytes: 8 },
  { name: "BigUint64", names: ["BigUInt64", "BigUint64"], bytes: 8, limits: [0n, 0xffffffffffffffffn] },
  { name: "BigInt64", names: ["BigInt64"], bytes: 8, limits: [-0x8000000000000000n, 0x7fffffffffffffffn] },
];

const ORDERS = [
  ["LE", true],
  ["BE", false],
] as const;

/** Names of these two in `DataView`, for the types of all others like them. */
const named = ({ name }: Kind) => [`get${name}`, `set${name}`] as ["getInt16", "setInt16"];

function ofKind(kind: Kind, isLittle: boolean): [read: Method, write: Method] {
  const { name, bytes, limits } = kind;
  const [get, set] = named(kind);
  return [
    function (offset: unknown = 0) {
      checkPlace(offset, bytes, this.length);
      return viewOf(this)[get](offset, isLittle);
    },
    function (given: number, offset: unknown = 0) {
      const value = name.startsWith("Big") ? given : +given;
      if (bytes === 1) checkNumber(offset, "offset");
      if (limits) checkValue(value, limits);
      checkPlace(offset, bytes, this.length);
      viewOf(this)[set](offset, value, isLittle);
      return offset + bytes;
    },
  ];
}

/** Integers of one to six bytes. */
function ofAnySize(isSigned: boolean, isLittle: boolean): [read: Method, write: Method] {
  /** The place of the byte that counts so many times 256 multiplied with itself. */
  const placeOf = (offset: number, size: number, power: number): number =>
    isLittle ? offset + power : offset + size - 1 - power;
  return [
    function (offset: unknown, size: unknown) {
      if (offset === undefined) throw wrongType("offset", "of type number");
      checkSize(size);
      checkPlace(offset, size, this.length);
      let value = 0;
      for (let power = size - 1; power >= 0; power--)
        value = value * 256 + (this[placeOf(offset, size, power)] as number);
      return isSigned && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
    },
    function (given: number, offset: unknown, size: unknown) {
      checkSize(size);
      const value = +given;
      const most = 2 ** (isSigned ? 8 * size - 1 : 8 * size);
      checkValue(value, [isSigned ? -most : 0, most - 1]);
      checkPlace(offset, size, this.length);
      let rest = Math.trunc(value) || 0;
      for (let power = 0; power < size; power++) {
        this[placeOf(offset, size, power)] = rest;
        rest = Math.floor(rest / 256);
      }
      return offset + size;
    },
  ];
}

/** The methods that read and write numbers. */
export function numberMethods(): Record<string, Method> {
  const methods: Record<string, Method> = {};
  const add = (name: string, [read, write]: [Method, Method]): void => {
    methods[`read${name}`] = read;
    methods[`write${name}`] = write;
  };
  for (const [order, isLittle] of ORDERS) {
    for (const kind of KINDS) {
      const both = ofKind(kind, isLittle);
      for (const name of kind.names) add(kind.bytes === 1 ? name : name + order, both);
    }
    for (const name of ["UInt", "Uint", "Int"]) add(name + order, ofAnySize(name === "Int", isLittle));
  }
  return methods;
}
