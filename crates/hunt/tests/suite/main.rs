//! The judges of `huygens hunt` are judged: broken engines that each of them must find, and sound ones that none may blame.

mod broken;
mod fault;
mod meddle;
mod premise;
mod search;
mod sound;
mod stopping;
mod trial;
