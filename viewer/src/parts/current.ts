/** Whether a part of the page is the one that is read: its picture is the one that the page's menu saves. */
import { createContext } from "preact";

export const IsCurrent = createContext(true);
