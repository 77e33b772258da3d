//! The examples of the crate run, and what they assert holds.

macro_rules! examples {
    ($($name:ident, $test:ident, $path:literal;)+) => {
        $(
            #[path = $path]
            mod $name;

            #[test]
            fn $test() {
                $name::main().unwrap();
            }
        )+
    };
}

examples! {
    stack, the_stack_stands, "../../examples/stack.rs";
    rollback, the_rollback_has_the_bits_of_a_world_that_knew, "../../examples/rollback.rs";
    energy_audit, the_audit_adds_up, "../../examples/energy_audit.rs";
    pinball, the_ball_passes_all_gates, "../../examples/pinball.rs";
    arm, the_arm_follows_its_target, "../../examples/arm.rs";
    sweep, the_sweep_has_the_closed_form, "../../examples/sweep.rs";
    lines, the_drawing_has_lines, "../../examples/lines.rs";
}
