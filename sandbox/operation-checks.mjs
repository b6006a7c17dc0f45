/**
 * Generates the code of the guest's check of each operation's arguments, from the declaration in `wire/operations.ts`.
 * A check takes plain data from `JSON.parse`, and returns a description of the error, if any.
 */

/**
 * Returns the source of a module that exports
 * `Record<operation, {check(args): string | undefined, blocking?: "also" | "only", most?: number}>`.
 */
export function checksOf(operations) {
  const shapes = new Map();
  const numberOf = (shape) => {
    const key = JSON.stringify(shape);
    if (!shapes.has(key)) shapes.set(key, { number: shapes.size, shape });
    return shapes.get(key).number;
  };
  const entries = Object.entries(operations).map(([name, { args, more = [], blocking, most }]) => {
    const parts = [args, more].map((list) => JSON.stringify(list.map(numberOf)));
    const rest = [blocking && `,blocking:${JSON.stringify(blocking)}`, most && `,most:${most}`].filter(Boolean);
    return `${JSON.stringify(name)}:{check:checkOf(${parts})${rest.join("")}}`;
  });
  const known = [...shapes.values()].map(({ shape }) => `[(v)=>${test(shape, "v")},${JSON.stringify(inWords(shape))}]`);
  return `${HELPERS}
const SHAPES=[${known.join(",\n")}];
export const OPERATION_CHECKS={${entries.join(",\n")}};`;
}

const HELPERS = `
const text=(v,least,most)=>typeof v==="string"&&v.length>=least&&v.length<=most;
const list=(v,most,is)=>{
  if(!Array.isArray(v)||v.length>most)return false;
  for(let at=0;at<v.length;at++)if(!is(v[at]))return false;
  return true;
};
const members=(v,needed,optional,open)=>{
  if(typeof v!=="object"||v===null||Array.isArray(v))return false;
  for(const name of Object.keys(needed))if(!Object.hasOwn(v,name))return false;
  for(const name of Object.keys(v)){
    const is=Object.hasOwn(needed,name)?needed[name]:Object.hasOwn(optional,name)?optional[name]:open?undefined:()=>false;
    if(is&&!is(v[name]))return false;
  }
  return true;
};
const checkOf=(args,more)=>(given)=>{
  const [fewest,most]=[args.length,args.length+more.length];
  if(given.length!==fewest&&given.length!==most)
    return "takes "+(fewest===most?most:fewest+" or "+most)+" arguments, not "+given.length;
  for(let at=0;at<given.length;at++){
    const [is,words]=SHAPES[at<fewest?args[at]:more[at-fewest]];
    if(!is(given[at]))return "argument "+(at+1)+" is not "+words;
  }
};`;

/** The code of an expression that is true for a value of this shape. */
function test(shape, value) {
  switch (shape.kind) {
    case "text":
      return `text(${value},${shape.least},${shape.most})`;
    case "number":
      return `typeof ${value}==="number"${shape.least === undefined ? "" : `&&${value}>=${shape.least}`}`;
    case "integer":
      return `Number.isInteger(${value})&&${value}>=${shape.least}&&${value}<=${shape.most}`;
    case "flag":
      return `typeof ${value}==="boolean"`;
    case "choice":
      return `${JSON.stringify(shape.of)}.includes(${value})`;
    case "list":
      return `list(${value},${shape.most},(v)=>${test(shape.of, "v")})`;
    case "tuple":
      return `Array.isArray(${value})&&${value}.length===${shape.of.length}${shape.of
        .map((one, at) => `&&${test(one, `${value}[${at}]`)}`)
        .join("")}`;
    case "object":
      return `members(${value},${tests(shape.members)},${tests(shape.optional)},${shape.open})`;
    case "anything":
      return "true";
  }
}

const tests = (members) =>
  `{${Object.entries(members)
    .map(([name, shape]) => `${JSON.stringify(name)}:(v)=>${test(shape, "v")}`)
    .join(",")}}`;

/** Describes the shape to a person. */
function inWords(shape) {
  switch (shape.kind) {
    case "text":
      return shape.least > 0
        ? `a text of ${shape.least} to ${shape.most} characters`
        : `a text of at most ${shape.most} characters`;
    case "number":
      return shape.least === undefined ? "a number" : `a number of at least ${shape.least}`;
    case "integer":
      return `an integer from ${shape.least} to ${shape.most}`;
    case "flag":
      return "true or false";
    case "choice":
      return `one of: ${shape.of.join(", ")}`;
    case "list":
      return `a list of at most ${shape.most}, each ${inWords(shape.of)}`;
    case "tuple":
      return `a list of ${shape.of.length}: ${shape.of.map(inWords).join("; ")}`;
    case "object": {
      const parts = [
        ...Object.entries(shape.members).map(([name, one]) => `${name}: ${inWords(one)}`),
        ...Object.entries(shape.optional).map(([name, one]) => `${name} (optional): ${inWords(one)}`),
      ];
      return parts.length > 0 ? `an object with ${parts.join("; ")}` : "an object";
    }
    case "anything":
      return "a value";
  }
}
