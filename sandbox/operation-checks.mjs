/**
 * Generates the code of the guest's check of each operation's arguments, from the declaration in `wire/operations.ts`.
 * A check takes plain data from `JSON.parse`, and returns a description of the error, if any.
 */

/**
 * Returns the source of a module that exports
 * `operationChecks(): Record<operation, {check(args): string | undefined, blocking?: "also" | "only", most?: number}>`.
 * They are made when first asked for: most hooks request nothing while they start.
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
  return `let made;
export const operationChecks=()=>made??=make();
const make=()=>{${HELPERS}
const SHAPES=[${known.join(",\n")}];
return {${entries.join(",\n")}};
};`;
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

/** Of each kind of shape: the code of an expression that is true for a value of it, and what it is called to a person. */
const KINDS = {
  text: {
    test: ({ least, most }, value) => `text(${value},${least},${most})`,
    words: ({ least, most }) => `a text of ${least > 0 ? `${least} to` : "at most"} ${most} characters`,
  },
  number: {
    test: ({ least }, value) => `typeof ${value}==="number"${least === undefined ? "" : `&&${value}>=${least}`}`,
    words: ({ least }) => (least === undefined ? "a number" : `a number of at least ${least}`),
  },
  integer: {
    test: ({ least, most }, value) => `Number.isInteger(${value})&&${value}>=${least}&&${value}<=${most}`,
    words: ({ least, most }) => `an integer from ${least} to ${most}`,
  },
  flag: { test: (_shape, value) => `typeof ${value}==="boolean"`, words: () => "true or false" },
  choice: {
    test: ({ of }, value) => `${JSON.stringify(of)}.includes(${value})`,
    words: ({ of }) => `one of: ${of.join(", ")}`,
  },
  list: {
    test: ({ of, most }, value) => `list(${value},${most},(v)=>${test(of, "v")})`,
    words: ({ of, most }) => `a list of at most ${most}, each ${inWords(of)}`,
  },
  tuple: {
    test: ({ of }, value) =>
      [
        `Array.isArray(${value})&&${value}.length===${of.length}`,
        ...of.map((one, at) => test(one, `${value}[${at}]`)),
      ].join("&&"),
    words: ({ of }) => `a list of ${of.length}: ${of.map(inWords).join("; ")}`,
  },
  object: {
    test: ({ members, optional, open }, value) => `members(${value},${tests(members)},${tests(optional)},${open})`,
    words({ members, optional }) {
      const parts = [
        ...Object.entries(members).map(([name, one]) => `${name}: ${inWords(one)}`),
        ...Object.entries(optional).map(([name, one]) => `${name} (optional): ${inWords(one)}`),
      ];
      return parts.length > 0 ? `an object with ${parts.join("; ")}` : "an object";
    },
  },
  anything: { test: () => "true", words: () => "a value" },
};

const test = (shape, value) => KINDS[shape.kind].test(shape, value);
const inWords = (shape) => KINDS[shape.kind].words(shape);
function tests(members) {
  const checks = Object.entries(members).map(([name, shape]) => `${JSON.stringify(name)}:(v)=>${test(shape, "v")}`);
  return `{${checks.join(",")}}`;
}
