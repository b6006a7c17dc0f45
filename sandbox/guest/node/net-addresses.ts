const IPV4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

export const isIPv4 = (text: unknown): boolean => IPV4.test(String(text)) && !/(^|\.)0\d/.test(String(text));

export const isIPv6 = (text: unknown): boolean => {
  const bare = String(text).replace(/%[\w.:-]+$/, "");
  return /^[\da-fA-F:.]*:[\da-fA-F:.]*$/.test(bare) && URL.parse(`http://[${bare}]`) !== null;
};

export const isIP = (text: unknown): 0 | 4 | 6 => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);
