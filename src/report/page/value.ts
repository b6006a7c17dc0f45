import { counted as plainly } from "../../base/counted.ts";
import { MAX_NAME, MAX_VALUE } from "../limits.ts";
import { html, type Markup } from "./html.ts";

/** A text of others, apart from the text around it: its direction and its length change nothing there. */
export const value = (text: string, most = MAX_VALUE): Markup =>
  html`<bdi class="value">${shortened(text, most)}</bdi>`;

export const hookName = (name: string): Markup =>
  html`<bdi class="hook">${shortened(name || "Cordon", MAX_NAME)}</bdi>`;

/** A command to type. */
export const commandLine = (text: string): Markup => html`<code><bdi>${text}</bdi></code>`;

/** Cuts visibly, and leaves no half of a character. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time of the record. What is no time is shown as such. */
export function dayAndTime(time: string): Markup {
  const date = dateOf(time);
  return date ? html`<time datetime="${date.toISOString()}">${dayText(date)}, ${clock(date)}</time>` : NO_TIME;
}

/** The day alone. */
export function day(time: string): Markup {
  const date = dateOf(time);
  return date ? html`<time datetime="${date.toISOString()}">${dayText(date)}</time>` : NO_TIME;
}

/** The time of day alone. */
export function clockTime(time: string, until: "seconds" | "minutes" = "seconds"): Markup {
  const date = dateOf(time);
  if (!date) return NO_TIME;
  const text = until === "seconds" ? date.toISOString().slice(11, 19) : clock(date);
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}

/** The start of an hour, a day or a week, as text. */
export const periodText = (time: string, unit: "hour" | "day" | "week"): string => {
  const date = new Date(time);
  return unit === "hour"
    ? `${dayText(date)}, ${clock(date)}`
    : unit === "week"
      ? `week of ${dayText(date)}`
      : dayText(date);
};

const NO_TIME = html`<span class="dim">no time</span>`;

const dateOf = (time: string): Date | undefined =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time) && !Number.isNaN(Date.parse(time))
    ? new Date(time)
    : undefined;

const dayText = (date: Date): string => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
const clock = (date: Date): string => date.toISOString().slice(11, 16);

/** `1 call`, `2 calls`, `1,234 calls`. */
export const counted = (count: number, what: string): string => plainly(count, what, thousands(count));

export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** `9,999`, `12k`, `3M`: at most five characters. */
export const rounded = (count: number): string =>
  count < 10_000
    ? thousands(count)
    : count < 1_000_000
      ? `${Math.floor(count / 1000)}k`
      : `${Math.floor(count / 1_000_000)}M`;
