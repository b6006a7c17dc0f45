import { HOME, ONE, STAR, UNKNOWN } from "./marks.ts";

/** Folders that hold a system or all of its users' files: whoever empties one has lost the machine. */
const SYSTEM_FOLDERS =
  "/applications /bin /boot /dev /etc /home /lib /lib32 /lib64 /library /media /mnt /opt /private /private/etc /private/var /proc /root /run /sbin /srv /sys /system /users /usr /usr/bin /usr/lib /usr/lib64 /usr/local /usr/sbin /usr/share /var /var/lib /volumes /c /mnt/c".split(
    " ",
  );
const PROTECTED = new Set(["/", ".", "..", "", HOME, ...SYSTEM_FOLDERS]);
const USER_FOLDER = /^\/(home|users|var\/home|mnt\/c\/users|c\/users)\/[^/]+$/;
const PARENTS = /^\.\.(\/\.\.)*$/;
const DRIVE = /^[a-z]:[\\/]?$/;

/** Those among them whose modes a system depends on, with everything below. */
const MODES_MATTER =
  /^\/(bin|boot|dev|etc|lib|lib32|lib64|library|private|proc|root|sbin|sys|system|usr|var)(\/|$)|^\/(home|users|opt|srv)?$/;

const SYSTEM_FILES = ["/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/gshadow", "/etc/master.passwd"];

/** A disk, a part of one, or the memory. */
const DISK =
  /^\/dev\/(([shv]d|xvd)[a-z]|nvme\d|mmcblk\d|r?disk|loop\d|dm-|md\d|mapper\/|nbd\d|sr\d|zd\d|mem$|kmem$|port$|block\/|mtd)/;
/** What is under /dev and loses nothing when written to. */
const NO_DISK =
  /^\/dev\/(null|zero|full|random|urandom|stdin|stdout|stderr|fd|tty[^/]*|pts|ptmx|console|shm|tcp|udp|log|kmsg|lp\d*|dsp|cu\.[^/]*|clipboard|usb)(\/|$)/;

/**
 * A path without `.`, `..` and doubled slashes, seen from `folder` if that is known ("" if it is not). What stays
 * relative is relative to a folder that is not known.
 */
export function resolvePath(path: string, folder: string): string {
  const absolute = path.startsWith("/") || path.startsWith(HOME);
  const full = absolute || folder === "" ? path : `${folder}/${path}`;
  let root = full.startsWith("/") ? "/" : "";
  const kept: string[] = [];
  for (const part of full.split("/")) {
    const last = kept[kept.length - 1];
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (last === HOME) {
      // The folder above a home holds everybody's.
      kept[0] = "home";
      root = "/";
    } else if (last !== undefined && last !== "..") kept.pop();
    else if (root === "") kept.push("..");
  }
  return root + kept.join("/") || ".";
}

/** The folder that a path like `x/*` or `x/.*` says everything of, or undefined for a path that names something. */
export function emptied(path: string): string | undefined {
  let rest = path;
  for (;;) {
    const slash = rest.lastIndexOf("/");
    const last = rest.slice(slash + 1);
    if (!last.includes(STAR) || !new RegExp(`^[.!${STAR}${ONE}]+$`).test(last)) break;
    rest = slash === 0 ? "/" : slash < 0 ? "." : rest.slice(0, slash);
  }
  return rest === path ? undefined : rest;
}

/** Whether emptying `path` (of `resolvePath`) would lose a system, a home or all that is worked on. */
export function isProtected(path: string): boolean {
  const name = path.toLowerCase();
  if (PROTECTED.has(name) || USER_FOLDER.test(name) || PARENTS.test(name) || DRIVE.test(name)) return true;
  return hasGlob(name) && name.startsWith("/") && [...SYSTEM_FOLDERS, "/home/user"].some((it) => globFits(name, it));
}

export function isRoot(path: string): boolean {
  return path === "/" || emptied(path) === "/";
}

/** Whether `path` is a system folder or below one. */
export function isOfSystem(path: string): boolean {
  const name = (emptied(path) ?? path).toLowerCase();
  return MODES_MATTER.test(name) || (hasGlob(name) && isProtected(name));
}

/** Whether `path` is one of the files that say who may log in, or one below /etc/sudoers.d. */
export function isSystemFile(path: string): boolean {
  const name = path.toLowerCase().replace(/^\/private\//, "/");
  if (SYSTEM_FILES.includes(name) || name.startsWith("/etc/sudoers.d/")) return true;
  return hasGlob(name) && SYSTEM_FILES.some((it) => globFits(name, it));
}

export function isDisk(path: string): boolean {
  const name = path.toLowerCase();
  return DISK.test(name) || (hasGlob(name) && /^\/dev\//.test(name) && !NO_DISK.test(name));
}

/** For programs whose business is disks: whatever is under /dev and is not known to be harmless. */
export function isDevice(path: string): boolean {
  return /^\/dev\/./.test(path) && !NO_DISK.test(path.toLowerCase());
}

export function isNetwork(path: string): boolean {
  return /^\/dev\/(tcp|udp)\//.test(path);
}

export function hasGlob(text: string): boolean {
  return text.includes(STAR) || text.includes(ONE);
}

/** Whether a text with stars fits `text`; a star stays within one folder. Takes time in proportion to both lengths. */
export function globFits(pattern: string, text: string): boolean {
  let at = 0;
  let mark = 0;
  let star = -1;
  let from = 0;
  while (mark < text.length) {
    const wanted = pattern[at];
    if (wanted === STAR) {
      star = at++;
      from = mark;
    } else if (wanted === text[mark] || (wanted === ONE && text[mark] !== "/")) {
      at++;
      mark++;
    } else if (star >= 0 && text[from] !== "/") {
      at = star + 1;
      mark = ++from;
    } else return false;
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The name of a program as the rules know it: without its folder, in small letters for the file systems that do not
 * tell them apart, and without variables inside it, which expand to nothing in `r${x}m`.
 */
export function programName(word: string): string {
  return baseName(word.replaceAll(UNKNOWN, ""))
    .toLowerCase()
    .replace(/\.exe$/, "");
}
