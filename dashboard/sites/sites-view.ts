/** What of the page of all sites is in the URL: its order and the search, which Back and a reload keep. */
import { navigate, param } from "../state/url.ts";
import { ORDERS, type Order } from "./site-order.ts";

const [ORDER_DEFAULT] = ORDERS;

export const chosenOrder = (): Order => ORDERS.find((order) => order === param("sort")) ?? ORDER_DEFAULT;
export const chooseOrder = (order: Order): void => navigate({ sort: order === ORDER_DEFAULT ? null : order });

export const searchText = (): string => param("q") ?? "";
export const searchFor = (text: string): void => navigate({ q: text }, true);
