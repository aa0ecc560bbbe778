// What the form of a record needs: that nothing typed is lost (the end of a session, and drafts), references to other records,
// dates, and the fields that come when they are opened.

import "session";
import "drafts";
import "picker";
import "days";
import "panels";
